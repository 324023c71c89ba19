#include "lib/grammar/cancellation.hpp"

#include <utility>

namespace tbt {

namespace {

thread_local Cancellation* current = nullptr;

}  // namespace

Cancellation::Cancellation(std::function<void()> check)
    : check_(std::move(check)), outer_(std::exchange(current, this)) {}
Cancellation::~Cancellation() { current = outer_; }

void Cancellation::point() {
    if (current == nullptr || ++current->parts_ % 64 != 0) return;  // the clock takes longer
    const auto now = std::chrono::steady_clock::now();
    if (now < current->next_) return;
    current->next_ = now + std::chrono::milliseconds(20);
    current->check_();
}

}  // namespace tbt
