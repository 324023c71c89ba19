#include "threads.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __linux__
#include <sched.h>
#endif

namespace tbt {

namespace {

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

int number_in_environment(const char* name) {
    const char* text = std::getenv(name);
    return text ? std::atoi(text) : 0;
}

// cgroup v2: "max 100000" or "150000 100000" (quota and period in microseconds); v1: two files. 0: no quota.
int cgroup_quota_in_cores() {
    double quota = 0, period = 0;
    std::string first;
    if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> first >> period) {
        quota = first == "max" ? 0 : std::atof(first.c_str());
    } else {
        std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
        std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
    }
    return quota > 0 && period > 0 ? std::max(1, static_cast<int>(std::lround(quota / period))) : 0;
}

}  // namespace

void Barrier::wait() {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == size_ - 1) {
        arrived_.store(0, std::memory_order_relaxed);
        round_.store(round + 1, std::memory_order_release);
        round_.notify_all();
        return;
    }
    for (int spins = 0; spins < 5000; ++spins) {
        if (round_.load(std::memory_order_acquire) != round) return;
        pause_briefly();
    }
    const auto start = std::chrono::steady_clock::now();
    bool arrived = false;
    for (int yields = 0; yields < 200 && !arrived; ++yields) {
        arrived = round_.load(std::memory_order_acquire) != round;
        if (!arrived) std::this_thread::yield();
    }
    if (!arrived) round_.wait(round, std::memory_order_acquire);
    waited_.fetch_add(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count(), std::memory_order_relaxed);
}

Range Worker::share(std::int64_t n, std::int64_t grain) const {
    const std::int64_t grains = (n + grain - 1) / grain;
    const std::int64_t first = grains * rank / size;
    const std::int64_t last = grains * (rank + 1) / size;
    return {std::min(n, first * grain), std::min(n, last * grain)};
}

int default_threads() {
    for (const char* name : {"TBT_THREADS", "OMP_NUM_THREADS"}) {
        if (const int n = number_in_environment(name); n > 0) return std::min(n, 1024);
    }
    int cores = static_cast<int>(std::thread::hardware_concurrency());
#ifdef __linux__
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) cores = CPU_COUNT(&mask);
#endif
    if (const int quota = cgroup_quota_in_cores(); quota > 0) cores = std::min(cores, quota);
    return std::max(1, cores);
}

double detail::run_team(int threads, void (*body)(void*, const Worker&), void* context) {
#ifdef _OPENMP
    if (threads > 1) {
        Barrier barrier(threads);
        std::atomic<int> size{0};
#pragma omp parallel num_threads(threads)
        {
            // The runtime may give fewer threads than asked for; the barrier must know before anyone waits.
#pragma omp single
            {
                size = omp_get_num_threads();
                if (size != threads) new (&barrier) Barrier(size);
            }
            const Worker worker{omp_get_thread_num(), size, &barrier};
            body(context, worker);
            worker.sync();  // here rather than at the end of the region, where nobody counts
        }
        return size > 1 ? barrier.waited() / (size - 1) : 0;
    }
#else
    (void)threads;
#endif
    body(context, Worker{});
    return 0;
}

void ElasticTeam::run(void (*body)(void*, const Worker&), void* context) {
    const auto start = std::chrono::steady_clock::now();
    const double waited = detail::run_team(size(), body, context);
    learn(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), waited);
}

// With half of the threads a pass takes at most twice as long: worth it when more than half of the time was waiting.
void ElasticTeam::learn(double seconds, double waited) {
    ++passes_;
    if (size() > 1 && waited > 0.5 * seconds) {
        patience_ = grown_ && passes_ <= 4 ? std::min(2 * patience_, 1024) : 8;
        ++halvings_;
        passes_ = 0;
        grown_ = false;
    } else if (halvings_ > 0 && passes_ >= patience_) {
        --halvings_;
        passes_ = 0;
        grown_ = true;
    }
}

}  // namespace tbt
