#include "threads.hpp"

#include <algorithm>
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
    for (int yields = 0; yields < 200; ++yields) {
        if (round_.load(std::memory_order_acquire) != round) return;
        std::this_thread::yield();
    }
    round_.wait(round, std::memory_order_acquire);
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

void detail::run_team(int threads, void (*body)(void*, const Worker&), void* context) {
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
            body(context, Worker{omp_get_thread_num(), size, &barrier});
        }
        return;
    }
#else
    (void)threads;
#endif
    body(context, Worker{});
}

}  // namespace tbt
