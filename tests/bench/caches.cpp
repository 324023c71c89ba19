// What keys and values in 16 bits buy: one token at a position, over caches of both kinds, with
// weights of 16 and of 8 bits. Weights are random: their values change nothing.
#include <string>
#include <vector>

#include "lib/files/random_model.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

// The token at a position, again and again.
Contender token_at(Transformer& gpt, KvCache& cache, const std::vector<int>& text, int position) {
    const std::span<const int> ids(text);
    gpt.forward(cache, ids.first(static_cast<std::size_t>(position)));
    return repeated("token", [&gpt, &cache, ids, position] {
        cache.truncate(position);
        keep(gpt.forward(cache, ids.first(1))[0]);
    });
}

void measure(Table& table, const std::string& name, WeightType weights, int threads,
             const std::vector<int>& positions) {
    const TransformerConfig config = preset_config(name);
    const WeightSource source = random_weights(config, 1);
    Transformer wide(config, source, {threads, weights}),
        half(config, source, {threads, weights, WeightType::f16});
    const std::vector<int> text(static_cast<std::size_t>(config.n_positions), 7);
    std::vector<KvCache> caches;
    caches.reserve(2 * positions.size());
    std::vector<Contender> work;
    for (const int position : positions)
        for (Transformer* gpt : {&wide, &half})
            work.push_back(token_at(*gpt, caches.emplace_back(gpt->config()), text, position));
    const std::vector<Timing> t = interleaved(work, 15, 0.02);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const double f32 = t[2 * i].median, f16 = t[2 * i + 1].median;
        table.row({name, std::string(names_of(weights).option), threads, positions[i],
                   Cell(f32 * 1e3, 3), Cell(f16 * 1e3, 3), Cell(f32 / f16, 2),
                   Cell(f32 / t[0].median, 2), Cell(f16 / t[1].median, 2)});
    }
}

void run(const Settings& settings) {
    Table table("caches", {"model", "weights", "threads", "position", "f32 ms", "f16 ms", "ratio",
                           "f32, at 10 = 1", "f16"});
    for (const WeightType weights : {WeightType::f16, WeightType::int8})
        for (const int threads : settings.threads) {
            measure(table, "storyteller", weights, threads, {10, 448, 500});
            if (thorough()) measure(table, "gpt2", weights, threads, {10, 500, 896});
        }
}

const Section section{"caches", 31, "keys and values in 32 and 16 bits: a token, by its position",
                      run};

}  // namespace

}  // namespace tbt::bench
