#include "chapters/26_serving/server/job.hpp"

#include <utility>

#include "lib/kernels/math.hpp"

namespace tbt {

TokenLogprob logprob_of(const Trace& trace) {
    TokenLogprob token{trace.chosen, trace.raw_log_probability, {}};
    for (const TracedToken& t : trace.top)
        token.top.emplace_back(t.id, portable_log(t.raw_probability));
    return token;
}

void Outbox::started() {
    const std::lock_guard lock(mutex_);
    started_ = true;
    changed_.notify_all();
}

void Outbox::push(Piece piece) {
    const std::lock_guard lock(mutex_);
    pieces_.push_back(std::move(piece));
    if (!pausing_) changed_.notify_all();
}

void Outbox::refuse(const ApiError& error) {
    const std::lock_guard lock(mutex_);
    refused_ = error;
    closed_ = true;
    changed_.notify_all();
}

void Outbox::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

void Outbox::wait_for_start() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return started_ || closed_; });
    if (refused_) throw *refused_;
}

std::deque<Piece> Outbox::news() {
    constexpr std::chrono::microseconds pause(500);
    std::unique_lock lock(mutex_);
    pausing_ = true;
    changed_.wait_until(lock, last_news_ + pause, [&] { return closed_; });
    pausing_ = false;
    changed_.wait(lock, [&] { return !pieces_.empty() || closed_; });
    last_news_ = std::chrono::steady_clock::now();
    return std::exchange(pieces_, {});
}

}  // namespace tbt
