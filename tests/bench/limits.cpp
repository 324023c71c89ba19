// The machine's limits: how fast the cores multiply and how fast they read.
#include <algorithm>
#include <cmath>
#include <memory>

#include "lib/core/simd.hpp"
#include "lib/machine/threads.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

using simd::Batch;

constexpr int fma_chains = 12;  // latency 4 × two a cycle = 8 at least; 12 fit AVX2's registers
constexpr int fma_steps = 2000;

float multiply_add(float start) {
    Batch sum[fma_chains];
    for (int c = 0; c < fma_chains; ++c) sum[c] = Batch(start + static_cast<float>(c));
    const Batch a(0.5f);
    for (int i = 0; i < fma_steps; ++i) {
        for (int c = 0; c < fma_chains; ++c) sum[c] = simd::fma(sum[c], a, a);
    }
    for (int c = 1; c < fma_chains; ++c) sum[0] = sum[0] + sum[c];
    return sum[0].get(0);
}

// Eight streams with prefetching: on some machines one stream reads a third less,
// since the prefetchers of the hardware stop at every page.
float read_streams(const float* p, std::int64_t n) {
    constexpr int streams = 8, ahead = 256;
    const std::int64_t part = n / streams / simd::batch_size * simd::batch_size;
    Batch sum[streams];
    for (int s = 0; s < streams; ++s) sum[s] = Batch(0.0f);
    for (std::int64_t i = 0; i < part; i += simd::batch_size) {
        for (int s = 0; s < streams; ++s) {
            __builtin_prefetch(p + s * part + i + ahead);
            sum[s] = sum[s] + Batch::load_unaligned(p + s * part + i);
        }
    }
    for (int s = 1; s < streams; ++s) sum[0] = sum[0] + sum[s];
    return sum[0].get(0);
}

float read_straight(const float* p, std::int64_t n) {
    constexpr int unroll = 8;
    Batch sum[unroll];
    for (int s = 0; s < unroll; ++s) sum[s] = Batch(0.0f);
    for (std::int64_t i = 0; i + unroll * simd::batch_size <= n; i += unroll * simd::batch_size) {
        for (int s = 0; s < unroll; ++s)
            sum[s] = sum[s] + Batch::load_unaligned(p + i + s * simd::batch_size);
    }
    for (int s = 1; s < unroll; ++s) sum[0] = sum[0] + sum[s];
    return sum[0].get(0);
}

Contender read_with(float (*read)(const float*, std::int64_t), std::shared_ptr<Tensor> memory,
                    int threads) {
    return {"read", [=](int times) {
                run_team(threads, [&](const Worker& worker) {
                    const Range mine = worker.share(memory->size(), 1024);
                    float sum = 0;
                    for (int i = 0; i < times; ++i) {
                        sum += read(memory->data() + mine.begin, mine.end - mine.begin);
                        worker.sync();
                    }
                    keep(sum);
                });
            }};
}

void run(const Settings& settings) {
    Table table("limits", {"limit", "threads", "figure", "unit", "quartiles"});
    const auto report = [&](const std::string& name, int threads, double work, const Timing& t,
                            const char* unit) {
        char spread[48];
        std::snprintf(spread, sizeof spread, "%.0f–%.0f", work / t.high * 1e-9,
                      work / t.low * 1e-9);
        table.row({name, Cell(threads, 0), Cell(work / t.median * 1e-9, 1), unit, spread});
    };
    for (const int threads : settings.threads) {
        report("fused multiply-add", threads, fma_probe_flops(threads),
               interleaved({fma_probe(threads)})[0], "GF/s");
        for (const double megabytes : {0.5, 1.5, 12.0, 64.0, 500.0}) {
            const auto bytes = static_cast<std::int64_t>(megabytes * 1e6);
            char name[32];
            std::snprintf(name, sizeof name, "read %g MB", megabytes);
            const std::vector<Timing> ways = interleaved(read_probes(bytes, threads));
            const Timing& best = ways[0].median < ways[1].median ? ways[0] : ways[1];
            report(name, threads, static_cast<double>(bytes), best, "GB/s");
        }
    }
}

const Section section{"limits", 10, "the machine's limits", run};

}  // namespace

Contender fma_probe(int threads) {
    return {"fma", [threads](int times) {
                run_team(threads, [&](const Worker& worker) {
                    float sum = 0;
                    for (int i = 0; i < times; ++i) sum = multiply_add(sum);
                    keep(sum);
                    worker.sync();
                });
            }};
}

double fma_probe_flops(int threads) {
    return 2.0 * simd::batch_size * fma_chains * fma_steps * threads;
}

std::vector<Contender> read_probes(std::int64_t bytes, int threads) {
    const auto memory = std::make_shared<Tensor>(Shape{std::max<std::int64_t>(bytes / 4, 1)});
    return {read_with(read_straight, memory, threads), read_with(read_streams, memory, threads)};
}

}  // namespace tbt::bench
