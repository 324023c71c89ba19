// A team of threads that walks through one piece of work together.
//
// Opening a parallel region costs several microseconds, as much as a small layer. So a forward pass opens
// one region (run_team) and all its threads call the same functions in the same order, each with its own
// Worker; a function does its share of the outputs, and sync() waits for the others where one layer needs what
// another thread wrote. Threads always own whole outputs: nothing is summed across threads, so results do
// not depend on their number.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tbt {

struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// A barrier that spins for a moment (the usual wait is under a microsecond), then yields, then sleeps, so that
// more threads than cores are slow but harmless.
class Barrier {
public:
    explicit Barrier(int size) : size_(size) {}
    void wait();

private:
    int size_;
    std::atomic<int> arrived_{0};
    std::atomic<std::uint32_t> round_{0};
};

struct Worker {
    int rank = 0;
    int size = 1;
    Barrier* barrier = nullptr;

    // Waits until every thread of the team is here.
    void sync() const {
        if (size > 1) barrier->wait();
    }

    // This thread's part of n items, in multiples of `grain` items (the last part may be shorter).
    Range share(std::int64_t n, std::int64_t grain = 1) const;
};

// The cores this process may use: its affinity mask, cut down by a cgroup's CPU quota. At least 1.
// TBT_THREADS and OMP_NUM_THREADS, in this order, override it.
int default_threads();

namespace detail {
void run_team(int threads, void (*body)(void*, const Worker&), void* context);
}

// Calls body(worker) on `threads` threads (1 where the build has no OpenMP). body must not throw.
template <class Body>
void run_team(int threads, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    detail::run_team(
        threads, [](void* context, const Worker& worker) { (*static_cast<Plain*>(context))(worker); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace tbt
