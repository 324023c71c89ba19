#include "tests/bench/passes.hpp"

#include <algorithm>
#include <memory>

#include "lib/core/rng.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt::bench {

std::vector<std::string> pass_columns() {
    return {"model", "weights", "what", "threads", "tokens/s", "limit", "of limit", "spread"};
}

Transformer random_transformer(const TransformerConfig& config, WeightType weights, int threads) {
    std::uint64_t seed = 0;
    const WeightSource source = [&](const std::string&, const Shape& shape) {
        Tensor w = random_tensor(shape, ++seed);
        for (std::int64_t i = 0; i < w.size(); ++i) w.data()[i] *= 0.04f;
        return w;
    };
    return Transformer(config, source, {threads, weights});
}

namespace {

// Numbers in the matrices; the output matrix counts once, and only where its logits are asked for.
double block_weights(const TransformerConfig& c) {
    const auto queries = static_cast<double>(c.query_size()),
               keys = static_cast<double>(c.kv_size());
    const int mlp = c.architecture.gated ? 3 : 2;
    return c.n_layer * c.n_embd * (2 * queries + 2 * keys + 1.0 * mlp * c.n_inner);
}
double output_weights(const TransformerConfig& c) {
    return static_cast<double>(c.n_embd) * c.vocab_size;
}

}  // namespace

double token_flops(const TransformerConfig& c, int depth) {
    return 2 * (block_weights(c) + output_weights(c)) +
           4.0 * c.n_layer * static_cast<double>(c.query_size()) * depth;
}
double weight_bytes(const TransformerConfig& c, WeightType type) {
    // Of 4 bits 32 weights share a byte, and the output has 8.
    const double output = static_cast<double>(bytes_of(type)),
                 block = type == WeightType::int4 ? 17.0 / 32 : output;
    return block_weights(c) * block + output_weights(c) * output;
}

namespace {

double prefill_flops(const Subject& s) {
    const double T = s.prompt, pairs = T * (T + 1) / 2;
    return 2 * (block_weights(s.config) * T + output_weights(s.config)) +
           4.0 * s.config.n_layer * static_cast<double>(s.config.query_size()) * pairs;
}
double cache_bytes(const Subject& s, int depth) {
    return static_cast<double>(KvCache::bytes_per_token(s.config)) * depth;
}

constexpr int written = 16;  // tokens in a measurement

// Writes `written` tokens after `depth` others.
Contender decode(Transformer& model, std::shared_ptr<KvCache> cache, const std::vector<int>& text,
                 int depth) {
    return repeated("decode", [&model, cache, &text, depth] {
        cache->truncate(depth);
        for (int t = 0; t < written; ++t)
            keep(model.forward(*cache, std::span<const int>(text).subspan(
                                           static_cast<std::size_t>(depth + t), 1))[0]);
    });
}

}  // namespace

void measure_passes(Table& table, const Subject& s, WeightType type, int threads, bool with_aims) {
    Transformer model = random_transformer(s.config, type, threads);
    std::vector<int> text(static_cast<std::size_t>(s.depth + written));
    Rng rng(1);
    for (int& id : text)
        id = static_cast<int>(rng.below(static_cast<std::uint64_t>(s.config.vocab_size)));
    const auto near = std::make_shared<KvCache>(s.config),
               deep = std::make_shared<KvCache>(s.config),
               fresh = std::make_shared<KvCache>(s.config);
    constexpr int start = 64 - written / 2;  // as the middle of the first 128 tokens
    model.forward(*near, std::span<const int>(text).first(start));
    model.forward(*deep, std::span<const int>(text).first(static_cast<std::size_t>(s.depth)));

    std::vector<Contender> work =
        read_probes(static_cast<std::int64_t>(weight_bytes(s.config, type)), threads);
    const std::size_t probes = work.size();
    work.push_back(fma_probe(threads));
    work.push_back(repeated("prefill", [&] {
        fresh->truncate(0);
        keep(model.forward(
            *fresh, std::span<const int>(text).first(static_cast<std::size_t>(s.prompt)))[0]);
    }));
    work.push_back(decode(model, near, text, start));
    work.push_back(decode(model, deep, text, s.depth));
    const std::vector<Timing> t = interleaved(work, s.rounds, 0.02);

    double read = t[0].median;
    for (std::size_t i = 1; i < probes; ++i) read = std::min(read, t[i].median);
    const double bandwidth = weight_bytes(s.config, type) / read,
                 flops = fma_probe_flops(threads) / t[probes].median;
    const auto row = [&](const std::string& what, const Timing& timing, double tokens, double limit,
                         double aim) {
        std::vector<Cell> cells = {s.name,
                                   std::string(names_of(type).option),
                                   what,
                                   threads,
                                   Cell(tokens / timing.median, 0),
                                   Cell(tokens / limit, 0),
                                   Cell(limit / timing.median, 2),
                                   Cell((timing.high - timing.low) / timing.median, 2)};
        if (with_aims) cells.push_back(aim > 0 ? Cell(aim, 2) : Cell("none"));
        table.row(cells);
    };
    // A prompt's limit is that of floats, which whole numbers exceed.
    const bool floats = type != WeightType::int8 && type != WeightType::int4;
    row("prefill " + std::to_string(s.prompt), t[probes + 1], s.prompt, prefill_flops(s) / flops,
        floats ? 0.75 : 0);
    row("decode 128", t[probes + 2], written,
        written * (weight_bytes(s.config, type) + cache_bytes(s, 64)) / bandwidth, 0.85);
    row("at " + std::to_string(s.depth), t[probes + 3], written,
        written * (weight_bytes(s.config, type) + cache_bytes(s, s.depth)) / bandwidth, 0);
}

}  // namespace tbt::bench
