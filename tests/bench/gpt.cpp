// Whole forward passes: reading a prompt and writing tokens, as tokens a second and as a share of
// what the machine allows. Weights are random: their values change nothing.
//
//   prefill   limit: multiply-adds at the probed peak
//   decode    limit: every weight, and the keys and values so far, read once a token
//             at the probed bandwidth
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lib/kernels/rng.hpp"
#include "lib/model/gpt.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/random_model.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

struct Subject {
    std::string name;
    GptConfig config;
    int prompt;  // tokens read at once
    int depth;   // decoding deep in a text: so many tokens before
    int rounds;
};

std::vector<Subject> subjects() {
    if (quick()) return {{"sketch", preset_config("sketch"), 32, 64, 1}};
    return {{"storyteller", preset_config("storyteller"), 256, 448, 9},
            {"sketch", preset_config("sketch"), 256, 448, 9},
            {"GPT-2 124M", preset_config("gpt2"), 512, 896, 3}};
}

// Today's, in their published shapes; a context as short as is measured.
std::vector<Subject> todays_subjects() {
    std::vector<Subject> all = {{"SmolLM2 135M", preset_config("smollm2-135m"), 512, 896, 3},
                                {"Qwen2.5 0.5B", preset_config("qwen2.5-0.5b"), 512, 896, 3},
                                {"Llama 3.2 1B", preset_config("llama-3.2-1b"), 256, 896, 3}};
    for (Subject& s : all) {
        s.config.n_positions = 1024;
        if (!quick()) continue;
        s.config.n_layer = 1, s.config.vocab_size = 500, s.prompt = s.depth = 64;
        if (!s.config.architecture.layers.empty()) s.config.architecture.layers.resize(1);
    }
    return all;
}

Gpt random_gpt(const GptConfig& config, WeightType weights, int threads) {
    std::uint64_t seed = 0;
    const WeightSource source = [&](const std::string&, const Shape& shape) {
        Tensor w = random_tensor(shape, ++seed);
        for (std::int64_t i = 0; i < w.size(); ++i) w.data()[i] *= 0.04f;
        return w;
    };
    return Gpt(config, source, {threads, weights});
}

// Numbers in the matrices; the output matrix counts once, and only where its logits are asked for.
double block_weights(const GptConfig& c) {
    const auto queries = static_cast<double>(c.query_size()),
               keys = static_cast<double>(c.kv_size());
    const int mlp = c.architecture.gated ? 3 : 2;
    return c.n_layer * c.n_embd * (2 * queries + 2 * keys + 1.0 * mlp * c.n_inner);
}
double output_weights(const GptConfig& c) { return static_cast<double>(c.n_embd) * c.vocab_size; }

double prefill_flops(const Subject& s) {
    const double T = s.prompt, pairs = T * (T + 1) / 2;
    return 2 * (block_weights(s.config) * T + output_weights(s.config)) +
           4.0 * s.config.n_layer * static_cast<double>(s.config.query_size()) * pairs;
}
double weight_bytes(const Subject& s, WeightType type) {
    // Of 4 bits 32 weights share a byte, and the output has 8.
    const double output = static_cast<double>(bytes_of(type)),
                 block = type == WeightType::int4 ? 17.0 / 32 : output;
    return block_weights(s.config) * block + output_weights(s.config) * output;
}
double cache_bytes(const Subject& s, int depth) {
    return static_cast<double>(KvCache::bytes_per_token(s.config)) * depth;
}

constexpr int written = 16;  // tokens in a measurement

// Writes `written` tokens after `depth` others.
Contender decode(Gpt& gpt, std::shared_ptr<KvCache> cache, const std::vector<int>& text,
                 int depth) {
    return {"decode", [&gpt, cache, &text, depth](int times) {
                for (int i = 0; i < times; ++i) {
                    cache->truncate(depth);
                    for (int t = 0; t < written; ++t)
                        keep(gpt.forward(*cache, std::span<const int>(text).subspan(
                                                     static_cast<std::size_t>(depth + t), 1))[0]);
                }
            }};
}

void measure(Table& table, const Subject& s, WeightType type, int threads) {
    Gpt gpt = random_gpt(s.config, type, threads);
    std::vector<int> text(static_cast<std::size_t>(s.depth + written));
    Rng rng(1);
    for (int& id : text)
        id = static_cast<int>(rng.below(static_cast<std::uint64_t>(s.config.vocab_size)));
    const auto near = std::make_shared<KvCache>(s.config),
               deep = std::make_shared<KvCache>(s.config),
               fresh = std::make_shared<KvCache>(s.config);
    constexpr int start = 64 - written / 2;  // as the middle of the first 128 tokens
    gpt.forward(*near, std::span<const int>(text).first(start));
    gpt.forward(*deep, std::span<const int>(text).first(static_cast<std::size_t>(s.depth)));

    std::vector<Contender> work =
        read_probes(static_cast<std::int64_t>(weight_bytes(s, type)), threads);
    const std::size_t probes = work.size();
    work.push_back(fma_probe(threads));
    work.push_back({"prefill", [&](int times) {
                        for (int i = 0; i < times; ++i) {
                            fresh->truncate(0);
                            keep(gpt.forward(*fresh, std::span<const int>(text).first(
                                                         static_cast<std::size_t>(s.prompt)))[0]);
                        }
                    }});
    work.push_back(decode(gpt, near, text, start));
    work.push_back(decode(gpt, deep, text, s.depth));
    const std::vector<Timing> t = interleaved(work, s.rounds, 0.02);

    double read = t[0].median;
    for (std::size_t i = 1; i < probes; ++i) read = std::min(read, t[i].median);
    const double bandwidth = weight_bytes(s, type) / read,
                 flops = fma_probe_flops(threads) / t[probes].median;
    const auto row = [&](const std::string& what, const Timing& timing, double tokens,
                         double limit) {
        table.row({s.name,
                   std::string(names_of(type).option),
                   what,
                   {static_cast<double>(threads), 0},
                   {tokens / timing.median, 0},
                   {tokens / limit, 0},
                   {limit / timing.median, 2},
                   {(timing.high - timing.low) / timing.median, 2}});
    };
    row("prefill " + std::to_string(s.prompt), t[probes + 1], s.prompt, prefill_flops(s) / flops);
    row("decode 128", t[probes + 2], written,
        written * (weight_bytes(s, type) + cache_bytes(s, 64)) / bandwidth);
    row("at " + std::to_string(s.depth), t[probes + 3], written,
        written * (weight_bytes(s, type) + cache_bytes(s, s.depth)) / bandwidth);
}

// What the cache buys: a prompt of 400 tokens and 100 more, with and without it.
void cached_against_uncached(const Settings& settings) {
    Table table("cache", {"400 tokens and 100 new", "threads", "cached ms", "without ms", "ratio",
                          "at 500/10"});
    const Subject s = subjects().front();
    for (const int threads : settings.threads) {
        Gpt gpt = random_gpt(s.config, WeightType::f16, threads);
        std::vector<int> text(512, 7);
        KvCache cache(s.config), none(s.config), early(s.config), late(s.config);
        const std::span<const int> ids(text);
        const auto token_at = [&](KvCache& c, std::size_t depth) {
            if (static_cast<std::size_t>(c.length()) < depth)
                gpt.forward(c, ids.first(depth - static_cast<std::size_t>(c.length())));
            return [&gpt, &c, ids, depth](int times) {
                for (int i = 0; i < times; ++i) {
                    c.truncate(static_cast<int>(depth));
                    keep(gpt.forward(c, ids.subspan(depth, 1))[0]);
                }
            };
        };
        const std::vector<Timing> t =
            interleaved({{"cached",
                          [&](int times) {
                              for (int i = 0; i < times; ++i) {
                                  cache.truncate(0);
                                  keep(gpt.forward(cache, ids.first(400))[0]);
                                  for (std::size_t n = 400; n < 499; ++n)
                                      keep(gpt.forward(cache, ids.subspan(n, 1))[0]);
                              }
                          }},
                         {"without",
                          [&](int times) {
                              for (int i = 0; i < times; ++i) {
                                  for (std::size_t n = 400; n < 500; ++n) {
                                      none.truncate(0);
                                      keep(gpt.forward(none, ids.first(n))[0]);
                                  }
                              }
                          }},
                         {"at 10", token_at(early, 10)},
                         {"at 500", token_at(late, 500)}},
                        5);
        table.row({"storyteller, f16",
                   {static_cast<double>(threads), 0},
                   {t[0].median * 1e3, 1},
                   {t[1].median * 1e3, 1},
                   {t[1].median / t[0].median, 1},
                   {t[3].median / t[2].median, 2}});
    }
}

void run(const Settings& settings) {
    {
        Table table("gpt", {"model", "weights", "what", "threads", "tokens/s", "limit", "of limit",
                            "spread"});
        for (const Subject& s : subjects()) {
            for (const WeightType type : {WeightType::f32, WeightType::f16}) {
                for (const int threads : settings.threads) measure(table, s, type, threads);
            }
        }
    }
    cached_against_uncached(settings);
}

void run_models(const Settings& settings) {
    Table table("models",
                {"model", "weights", "what", "threads", "tokens/s", "limit", "of limit", "spread"});
    for (const Subject& s : todays_subjects())
        for (const WeightType type : {WeightType::f16, WeightType::int8, WeightType::int4})
            measure(table, s, type, settings.threads.back());
}

const Section section{
    "gpt", 30,
    "prefill and decode of whole models with random weights, as a share of the machine's limit",
    run};

const Section models{"models", 31,
                     "the same for the shapes of SmolLM2 135M, Qwen2.5 0.5B and Llama 3.2 1B, in "
                     "16, 8 and 4 bits (a prompt's limit is that of floats)",
                     run_models};

}  // namespace

}  // namespace tbt::bench
