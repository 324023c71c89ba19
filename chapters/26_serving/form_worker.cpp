#include "chapters/26_serving/form_worker.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace tbt {

FormWorker::~FormWorker() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        wake_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void FormWorker::add(Form form, int text, std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    items_.push_back({form, text, std::move(work)});
    ++busy_[form];
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    wake_.notify_one();
}

bool FormWorker::is_busy(Form form) const {
    const std::lock_guard lock(mutex_);
    return busy_.contains(form);
}

void FormWorker::wait_for(Form form) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return !busy_.contains(form); });
}

void FormWorker::wait(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    if (!busy_.empty()) done_.wait_for(lock, longest);
}

double FormWorker::seconds(int text) const {
    const std::lock_guard lock(mutex_);
    const auto at = seconds_.find(text);
    return at == seconds_.end() ? 0 : at->second;
}

void FormWorker::forget(int text) {
    const std::lock_guard lock(mutex_);
    seconds_.erase(text);
}

void FormWorker::run() {
    using Clock = std::chrono::steady_clock;
    Form last = nullptr;
    for (std::unique_lock lock(mutex_);;) {
        wake_.wait(lock, [&] { return stop_ || !items_.empty(); });
        if (stop_) return;
        auto next = std::ranges::find_if(items_, [&](const Item& i) { return i.form != last; });
        if (next == items_.end()) next = items_.begin();
        const Item item = std::move(*next);
        items_.erase(next);
        last = item.form;
        lock.unlock();
        const Clock::time_point begin = Clock::now();
        try {
            item.work();
        } catch (const std::exception&) {
        }
        lock.lock();
        seconds_[item.text] += std::chrono::duration<double>(Clock::now() - begin).count();
        if (--busy_[item.form] == 0) busy_.erase(item.form);
        done_.notify_all();
    }
}

}  // namespace tbt
