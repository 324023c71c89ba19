// A team of threads that walks through one piece of work together.
//
// Opening a parallel region costs several microseconds, as much as a small layer.
// So a forward pass opens one region (run_team) and all its threads call the same functions in the
// same order, each with its own Worker; a function does its share of the outputs, and sync() waits
// for the others where one layer needs what another thread wrote. Threads always own whole outputs:
// nothing is summed across threads, so results do not depend on their number.
//
// So the number of threads may change between regions. When threads wait for each other more than
// they work, because another process wants the same core or there are more threads than cores,
// run_team uses half as many for a while.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tbt {

// The largest possible team.
inline constexpr int most_threads = 1024;

struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// A barrier that spins for a moment (the usual wait is under a microsecond),
// then yields, then sleeps.
class Barrier {
public:
    explicit Barrier(int size);
    void wait();

    // Seconds spent waiting after the spinning, summed over all threads.
    double seconds_waited() const { return static_cast<double>(nanoseconds_waited_.load()) * 1e-9; }

private:
    int size_;
    int spins_;
    std::atomic<int> arrived_{0};
    std::atomic<std::uint32_t> round_{0};
    std::atomic<std::int64_t> nanoseconds_waited_{0};
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

private:
    [[noreturn]] void refuse_share(std::int64_t n, std::int64_t grain) const;
};

// The number of threads when none is given, at least 1. The first of these that is set:
// a positive number from set_default_threads, the environment variable TBT_THREADS,
// OMP_NUM_THREADS, the number of cores that this process may use (cores.hpp).
int default_threads();
void set_default_threads(int threads);

// false: run_team always uses as many threads as requested; for tests and measurements.
void let_teams_shrink(bool allowed);

namespace detail {
void run_team(int threads, void (*body)(void*, const Worker&), void* context);
}

// Calls body(worker) on `threads` threads or fewer (1 where the build has no OpenMP).
// body must not throw.
template <class Body>
void run_team(int threads, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    detail::run_team(
        threads,
        [](void* context, const Worker& worker) { (*static_cast<Plain*>(context))(worker); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace tbt
