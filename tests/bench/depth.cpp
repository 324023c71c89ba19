// Attention at length, in layers of the sizes of Llama 3 8B (32 query heads of 128 numbers, 8 heads
// of keys and values, 4,096 channels; two of its 32 layers, few tokens): a token deep in a text,
// and with --thorough a prompt of 8,192. The limits are those of passes.hpp.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/files/random_model.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"
#include "tests/bench/passes.hpp"

namespace tbt::bench {

namespace {

const std::vector<int> one_token(1, 7);

TransformerConfig two_layers() {
    return quick() ? llama_config(2, 32, 8, 512, 512, 40960, 500)
                   : llama_config(2, 32, 8, 4096, 14336, 40960, 500);
}

// A text of so many tokens, whose keys and values are made up. Its blocks lie in large pages of
// memory, as those of a model with all its layers do.
KvCache text_of(const TransformerConfig& config, int tokens) {
    const auto pool = std::make_shared<KvPool>(config);
    pool->reserve(static_cast<std::size_t>(KvCache::block_count(tokens + 1)));
    KvCache cache(pool, config);
    const int size = config.head_size();
    const Tensor numbers = random_tensor({2, size}, 1);
    for (int t = 0; t < tokens; ++t) {
        cache.make_room(1);
        for (int layer = 0; layer < config.n_layer; ++layer)
            for (int head = 0; head < config.kv_heads(); ++head)
                cache.write(t, layer, head, size, numbers.data(), numbers.data() + size);
        cache.advance(1);
    }
    return cache;
}

void measure(Table& table, Transformer& model, int threads) {
    const TransformerConfig& config = model.config();
    for (const int depth : {4096, 32768}) {
        KvCache cache = text_of(config, depth);
        const double bytes =
            weight_bytes(config, WeightType::f16) + static_cast<double>(cache.bytes());
        std::vector<Contender> work = read_probes(static_cast<std::int64_t>(bytes), threads);
        work.push_back({"token", [&](int times) {
                            for (int i = 0; i < times; ++i) {
                                cache.truncate(depth);
                                keep(model.forward(cache, one_token)[0]);
                            }
                        }});
        const std::vector<Timing> t = interleaved(work, 7);
        const double limit = std::min(t[0].median, t[1].median);
        table.row({"token at " + std::to_string(depth),
                   std::string(names_of(cache.type()).option),
                   {threads * 1.0, 0},
                   {t[2].median * 1e3, 1},
                   {limit * 1e3, 1},
                   {limit / t[2].median, 2}});
    }
}

void measure_prompt(Table& table, Transformer& model, int threads) {
    const TransformerConfig& c = model.config();
    const std::vector<int> text(8192, 7);
    const auto tokens = static_cast<double>(text.size());
    const double flops = tokens * token_flops(c, to_int(length_of(text) / 2));
    KvCache cache(c);
    const std::vector<Timing> t = interleaved({fma_probe(threads),
                                               {"prompt",
                                                [&](int times) {
                                                    for (int i = 0; i < times; ++i) {
                                                        cache.clear();
                                                        keep(model.forward(cache, text)[0]);
                                                    }
                                                }}},
                                              3);
    const double limit = t[0].median * flops / fma_probe_flops(threads);
    table.row({"prompt of 8192",
               std::string(names_of(cache.type()).option),
               {threads * 1.0, 0},
               {t[1].median * 1e3, 0},
               {limit * 1e3, 0},
               {limit / t[1].median, 2}});
}

void run(const Settings& settings) {
    Table table("depth", {"F16 weights", "cache", "threads", "ms", "limit", "of limit"});
    const TransformerConfig config = two_layers();
    for (const int threads : settings.threads) {
        for (const WeightType cache : {WeightType::f16, WeightType::f32}) {
            if (cache == WeightType::f32 && !thorough()) continue;
            Transformer model(config, random_weights(config, 1), {threads, WeightType::f16, cache});
            measure(table, model, threads);
            if (thorough()) measure_prompt(table, model, threads);
        }
    }
}

const Section section{"depth", 31, "a token deep in a text, in two layers of Llama 3 8B", run};

}  // namespace

}  // namespace tbt::bench
