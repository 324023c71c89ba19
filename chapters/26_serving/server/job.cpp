#include "chapters/26_serving/server/job.hpp"

#include <utility>

#include "lib/core/math.hpp"

namespace tbt {

TokenLogprob logprob_of(const Trace& trace) {
    TokenLogprob token{trace.chosen, trace.raw_log_probability, {}};
    for (const TracedToken& t : trace.top)
        token.top.emplace_back(t.id, t.id == trace.chosen ? trace.raw_log_probability
                                                          : portable_log(t.raw_probability));
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
    // Copies of an exception share its string, and the caller keeps its own: so it is made anew.
    refused_.emplace(error.status, error.what(), error.param, error.code);
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
    if (refused_) throw std::move(*refused_);  // and nothing of it stays here
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
