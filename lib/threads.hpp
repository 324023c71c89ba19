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
    // Seconds that the threads have waited, all together, without the waits that spinning covers.
    double waited() const { return static_cast<double>(waited_.load(std::memory_order_relaxed)) * 1e-9; }

private:
    int size_;
    std::atomic<std::int64_t> waited_{0};  // nanoseconds
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
// Returns the seconds that a thread waited for the slowest one, in the mean, where that was more than a moment.
double run_team(int threads, void (*body)(void*, const Worker&), void* context);
}

// Calls body(worker) on `threads` threads (1 where the build has no OpenMP). body must not throw.
template <class Body>
void run_team(int threads, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    detail::run_team(
        threads, [](void* context, const Worker& worker) { (*static_cast<Plain*>(context))(worker); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

// A team for many short passes, which does without a part of its threads while another program takes their cores: all
// threads wait for the one that has none, at every barrier of a pass, and a single thread may be ten times faster. For
// work that does not depend on the number of threads.
class ElasticTeam {
public:
    explicit ElasticTeam(int threads) : threads_(threads) {}
    int threads() const { return threads_; }
    int size() const { return size_of(halvings_); }  // of the next pass

    template <class Body>
    void run(Body&& body) {
        using Plain = std::remove_reference_t<Body>;
        run([](void* context, const Worker& worker) { (*static_cast<Plain*>(context))(worker); },
            const_cast<void*>(static_cast<const void*>(&body)));
    }

    // What a pass of `seconds`, of which the threads waited `waited`, means for the size of the next.
    void learn(double seconds, double waited);

private:
    void run(void (*body)(void*, const Worker&), void* context);
    int size_of(int halvings) const { return threads_ >> halvings > 1 ? threads_ >> halvings : 1; }

    int threads_, halvings_ = 0;
    int patience_ = 8;  // passes in a smaller team before a larger one is tried again; doubled each time that fails
    int passes_ = 0;    // since the size changed
    bool grown_ = false;
};

}  // namespace tbt
