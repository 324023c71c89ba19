#include "chapters/26_serving/server/job.hpp"

#include <utility>

#include "lib/core/math.hpp"

namespace tbt {

TokenLogprob logprob_of(const Trace& trace) {
    TokenLogprob token{trace.chosen, trace.raw_log_probability, {}};
    for (const TracedToken& t : trace.top)
        token.choices.push_back({t.id, t.id == trace.chosen ? trace.raw_log_probability
                                                            : portable_log(t.raw_probability)});
    return token;
}

void Outbox::push(Piece piece) {
    {
        const std::lock_guard lock(mutex_);
        pieces_.push_back(std::move(piece));
        if (pausing_) return;
    }
    changed_.notify_all();  // whoever wakes finds it unlocked
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

std::deque<Piece> Outbox::news(const std::function<bool()>& there) {
    constexpr std::chrono::milliseconds pause(20);
    constexpr std::chrono::milliseconds patience(50);
    std::unique_lock lock(mutex_);
    pausing_ = true;
    changed_.wait_until(lock, last_news_ + pause, [&] { return closed_; });
    pausing_ = false;
    while (!changed_.wait_for(lock, patience, [&] { return !pieces_.empty() || closed_; })) {
        lock.unlock();
        if (there && !there()) return {};
        lock.lock();
    }
    if (refused_) throw std::move(*refused_);  // and nothing of it stays here
    last_news_ = std::chrono::steady_clock::now();
    return std::exchange(pieces_, {});
}

bool Outbox::complete() {
    const std::lock_guard lock(mutex_);
    return closed_ && pieces_.empty();
}

}  // namespace tbt
