#include "lib/train/fma_peak.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"
#include "lib/machine/threads.hpp"

namespace tbt::train {

double fma_peak(int threads, double seconds) {
    using clock = std::chrono::steady_clock;
    check_at_least("fma peak: threads", threads, 1);
    threads = std::min(threads, max_threads);
    if (!(seconds <= 60)) throw Error("fma peak: more than a minute, or no time at all");
    constexpr int chains =
        simd::batch_count == 1 ? 16 : 12;  // independent sums: enough to hide the latency of an FMA
    std::vector<double> rates(index(threads));
    std::vector<float> sink(index(threads));
    run_team(threads, [&](const Worker& worker) {
        simd::Batch sum[chains];
        for (int i = 0; i < chains; ++i) sum[i] = simd::Batch(static_cast<float>(i));
        const simd::Batch factor(0.999f), term(0.001f);
        worker.sync();
        const auto start = clock::now();
        double operations = 0, elapsed = 0;
        while (elapsed < seconds) {
            for (int repeat = 0; repeat < 20'000; ++repeat) {
                for (int i = 0; i < chains; ++i) sum[i] = simd::fma(sum[i], factor, term);
            }
            operations += 20'000.0 * chains * 2 * simd::batch_size;
            elapsed = std::chrono::duration<double>(clock::now() - start).count();
        }
        for (int i = 1; i < chains; ++i) sum[0] = sum[0] + sum[i];
        alignas(64) float values[simd::batch_size];
        sum[0].store_aligned(values);
        sink[index(worker.rank)] = values[0];  // a use, so the loop is not optimised away
        rates[index(worker.rank)] = operations / elapsed;
    });
    double total = 0;
    for (const double rate : rates) total += rate;
    return sink[0] < 1e30f ? total : 0;
}

}  // namespace tbt::train
