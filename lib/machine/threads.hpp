// A team of threads that does one piece of work together.
//
// Opening a parallel region takes several microseconds, as long as a small layer. So a forward pass
// opens one region (run_team), in which all threads call the same functions in the same order, each
// with its own Worker. In a function, each thread computes its part of the outputs; sync() waits
// for the other threads before a layer reads what they wrote. An output is always computed by one
// thread alone: nothing is summed across threads, so results do not depend on their number.
//
// Therefore the number of threads may change between regions. If threads wait for each other longer
// than they work, because other processes use the cores or there are more threads than cores,
// run_team uses half as many threads for a while.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tbt {

// The maximum number of threads in a team.
inline constexpr int max_threads = 1024;

struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// A barrier: wait() returns when all threads of the team have called it. A thread spins for a
// moment (the usual wait is under a microsecond), then yields, then sleeps.
class Barrier {
public:
    explicit Barrier(int size);
    void wait();

    // The seconds that threads waited after they stopped spinning, summed over all threads.
    double seconds_waited() const { return static_cast<double>(nanoseconds_waited_.load()) * 1e-9; }

private:
    int size_;
    int spins_;
    std::atomic<int> arrived_{0};
    std::atomic<std::uint32_t> round_{0};
    std::atomic<std::int64_t> nanoseconds_waited_{0};
};

// One thread of a team: its number 0 … size − 1, the size of the team and their barrier. The
// default is a team of one thread.
struct Worker {
    int rank = 0;
    int size = 1;
    Barrier* barrier = nullptr;

    // Waits until every thread of the team has called this.
    void sync() const {
        if (size > 1) barrier->wait();
    }

    // This thread's part of n items. Parts are multiples of `grain` items; the last may be shorter.
    Range share(std::int64_t n, std::int64_t grain = 1) const;

private:
    [[noreturn]] void refuse_share(std::int64_t n, std::int64_t grain) const;
};

// The number of threads if none is given, at least 1. It is the first of these that is set: a
// positive number from set_default_threads(), the environment variables TBT_THREADS and
// OMP_NUM_THREADS, the number of cores that this process may use (cores.hpp).
int default_threads();
void set_default_threads(int threads);

// With false, run_team always uses as many threads as requested. For tests and measurements.
void let_teams_shrink(bool allowed);

namespace detail {
void run_team(int threads, void (*body)(void*, const Worker&), void* context);
}

// Calls body(worker) on each of `threads` threads or fewer (on one thread if the build has no
// OpenMP), and returns when all are done. body must not throw.
template <class Body>
void run_team(int threads, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    detail::run_team(
        threads,
        [](void* context, const Worker& worker) { (*static_cast<Plain*>(context))(worker); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace tbt
