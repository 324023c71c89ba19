#include "lib/machine/threads.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/cores.hpp"

namespace tbt {

namespace {

using Clock = std::chrono::steady_clock;

// The maximum number of items: this times a thread's number still fits into 64 bits.
constexpr std::int64_t max_items = std::int64_t{1} << 48;
int chosen_threads = 0;
std::atomic<bool> teams_may_shrink{true};

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

int cores() {
    static const int number = usable_cores(allowed_processors());
    return number;
}

// TBT_THREADS is our own variable and must be a number. OMP_NUM_THREADS may be a list
// such as "4,2"; its first number is used.
int threads_in_environment() {
    if (const char* text = std::getenv("TBT_THREADS"); text && *text) {
        char* end = nullptr;
        const long n = std::strtol(text, &end, 10);
        if (*end == '\0' && n >= 1 && n <= max_threads) return to_int(n);
        throw Error(std::string("TBT_THREADS is '") + text + "', expected a number from 1 to " +
                    std::to_string(max_threads));
    }
    const char* text = std::getenv("OMP_NUM_THREADS");
    return text ? std::clamp(std::atoi(text), 0, max_threads) : 0;
}

#ifdef _OPENMP
double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Estimates from waiting times how many threads the machine can run at the same time.
// If the threads of a team of n waited for at least half of its time on average, the next teams
// have at most n / 2 threads, for twenty times as long as that team ran; then twice as many are
// tried again. So at most a twentieth of the time is lost to trying.
class TeamLimit {
public:
    int cut(int threads) {
        if (limit_ < threads && Clock::now() >= retry_) limit_ = std::min(2 * limit_, max_threads);
        return std::min(threads, limit_);
    }
    void learn(int threads, double seconds, double seconds_waited) {
        if (threads < 2 || seconds_waited < 0.5 * seconds * (threads - 1)) return;
        limit_ = threads / 2;
        retry_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(20 * seconds));
    }

private:
    int limit_ = max_threads;
    Clock::time_point retry_{};
};
#endif

}  // namespace

// With more threads than cores no thread spins: it would occupy the core that the thread it waits
// for needs.
Barrier::Barrier(int size) : size_(size), spins_(size <= cores() ? 2000 : 0) {
    if (size < 1)
        throw Error("threads: a barrier for " + std::to_string(size) + ", expected at least 1");
}

void Barrier::wait() {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == size_ - 1) {
        arrived_.store(0, std::memory_order_relaxed);
        round_.store(round + 1, std::memory_order_release);
        round_.notify_all();
        return;
    }
    for (int spins = 0; spins < spins_; ++spins) {
        if (round_.load(std::memory_order_acquire) != round) return;
        pause_briefly();
    }
    const Clock::time_point start = Clock::now();
    for (int yields = 0; yields < 100 && round_.load(std::memory_order_acquire) == round;
         ++yields) {
        std::this_thread::yield();
    }
    round_.wait(round, std::memory_order_acquire);
    nanoseconds_waited_ += std::chrono::nanoseconds(Clock::now() - start).count();
}

Range Worker::share(std::int64_t n, std::int64_t grain) const {
    if (n < 0 || n > max_items || grain < 1 || grain > max_items || rank < 0 || rank >= size)
        refuse_share(n, grain);
    const std::int64_t grains = (n + grain - 1) / grain;
    const std::int64_t first = grains * rank / size;
    const std::int64_t last = grains * (rank + 1) / size;
    return {std::min(n, first * grain), std::min(n, last * grain)};
}

void Worker::refuse_share(std::int64_t n, std::int64_t grain) const {
    throw Error("threads: the share of thread " + std::to_string(rank) + " of " +
                std::to_string(size) + " in " + std::to_string(n) + " items by " +
                std::to_string(grain) + ", expected an existing thread and no negative numbers");
}

int default_threads() {
    if (chosen_threads > 0) return chosen_threads;
    if (const int n = threads_in_environment(); n > 0) return n;
    return cores();
}

void set_default_threads(int threads) { chosen_threads = std::clamp(threads, 0, max_threads); }

void let_teams_shrink(bool allowed) { teams_may_shrink = allowed; }

void detail::run_team(int threads, void (*body)(void*, const Worker&), void* context) {
#ifdef _OPENMP
    static thread_local TeamLimit limit;
    threads = std::min(threads, max_threads);
    if (teams_may_shrink) threads = limit.cut(threads);
    if (threads > 1) {
        const Clock::time_point start = Clock::now();
        Barrier barrier(threads);
        std::atomic<int> size{0};
#pragma omp parallel num_threads(threads)
        {
            // The runtime may start fewer threads than requested. The barrier must know their
            // number before any thread waits.
#pragma omp single
            {
                size = omp_get_num_threads();
                if (size != threads) new (&barrier) Barrier(size);
            }
            body(context, Worker{omp_get_thread_num(), size, &barrier});
            barrier.wait();  // the runtime's own barrier spins far longer
        }
        limit.learn(size, seconds_since(start), barrier.seconds_waited());
        return;
    }
#else
    (void)threads;
#endif
    body(context, Worker{});
}

}  // namespace tbt
