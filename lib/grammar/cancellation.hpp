// Long work that somebody waits for can be given up on the way.
#pragma once

#include <chrono>
#include <functional>

namespace tbt {

// While it lives, long work of its thread asks `check` every 20 ms. What that throws ends the work.
class Cancellation {
public:
    explicit Cancellation(std::function<void()> check);
    ~Cancellation();
    Cancellation(const Cancellation&) = delete;

    // Called for each small part of long work.
    static void point();

private:
    std::function<void()> check_;
    Cancellation* outer_;
    unsigned parts_ = 0;
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace tbt
