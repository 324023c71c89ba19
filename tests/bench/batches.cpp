// What texts side by side buy: tokens a second when B of them get a token in one pass, each after
// its own text. The limit is the longer of two times: reading the weights and B caches once, and
// B tokens' arithmetic. Weights are random: their values change nothing.
#include <algorithm>
#include <string>
#include <vector>

#include "lib/files/random_model.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"
#include "tests/bench/bench.hpp"
#include "tests/bench/passes.hpp"

namespace tbt::bench {

namespace {

constexpr int sizes[] = {1, 8, 16, 17, 24, 32, 64}, most = 64, depth = 100;

// A token for each of the first `texts` caches, again and again.
Contender batch_of(Transformer& gpt, std::vector<KvCache>& caches, const std::vector<int>& token,
                   int texts) {
    return repeated("batch", [&gpt, &caches, &token, texts] {
        std::vector<Step> steps;
        for (int b = 0; b < texts; ++b) {
            KvCache& cache = caches[static_cast<std::size_t>(b)];
            cache.truncate(depth);
            steps.push_back({&cache, token});
        }
        keep(gpt.forward(steps).values[0]);
    });
}

void measure(Table& table, const std::string& name, WeightType cache, int threads, int rounds) {
    const TransformerConfig config = preset_config(name);
    Transformer gpt(config, random_weights(config, 1), {threads, WeightType::f16, cache});
    const std::vector<int> text(depth, 7), token(1, 7);
    std::vector<KvCache> caches;
    caches.reserve(most);
    for (int b = 0; b < most; ++b) gpt.forward(caches.emplace_back(gpt.config(), depth + 1), text);
    std::vector<Contender> work;
    for (const int texts : sizes) work.push_back(batch_of(gpt, caches, token, texts));
    const std::size_t probes = work.size();
    const double weights = weight_bytes(config, WeightType::f16);
    work.push_back(fma_probe(threads));
    for (Contender& probe : read_probes(static_cast<std::int64_t>(weights), threads))
        work.push_back(probe);
    const std::vector<Timing> t = interleaved(work, rounds, 0.02);
    const double flop = t[probes].median / fma_probe_flops(threads),
                 byte = std::min(t[probes + 1].median, t[probes + 2].median) / weights;
    for (std::size_t i = 0; i < probes; ++i) {
        const int texts = sizes[i];
        const double limit =
            std::max(texts * token_flops(config, depth) * flop,
                     (weights +
                      static_cast<double>(texts * depth * KvCache::bytes_per_token(gpt.config()))) *
                         byte);
        table.row({name, std::string(names_of(cache).option), threads, texts,
                   Cell(texts / t[i].median, 0), Cell(limit / t[i].median, 2),
                   Cell(texts * t[0].median / t[i].median, 2)});
    }
}

void run(const Settings& settings) {
    Table table("batches",
                {"model, f16", "cache", "threads", "texts", "tokens/s", "of limit", "one = 1"});
    for (const int threads : settings.threads) {
        for (const WeightType cache : {WeightType::f32, WeightType::f16})
            measure(table, quick() ? "sketch" : "storyteller", cache, threads, 25);
        if (thorough()) measure(table, "gpt2", WeightType::f32, threads, 7);
    }
}

const Section section{"batches", 32,
                      "texts side by side: a token each in one pass, after 100 others", run};

}  // namespace

}  // namespace tbt::bench
