// Passes of the shipped models and of GPT-2's shape (passes.hpp), and what the cache buys.
#include <string>
#include <vector>

#include "lib/files/random_model.hpp"
#include "lib/model/kv_cache.hpp"
#include "tests/bench/passes.hpp"

namespace tbt::bench {

namespace {

std::vector<Subject> subjects() {
    if (quick()) return {{"sketch", preset_config("sketch"), 32, 64, 1}};
    std::vector<Subject> all{{"storyteller", preset_config("storyteller"), 256, 448, 9},
                             {"GPT-2 124M", preset_config("gpt2"), 512, 896, 3}};
    if (thorough()) all.push_back({"sketch", preset_config("sketch"), 256, 448, 9});
    return all;
}

// What the cache buys: a prompt of 400 tokens and 100 more, with and without it.
void cached_against_uncached(const Settings& settings) {
    Table table("cache", {"400 tokens and 100 new", "threads", "cached ms", "without ms", "ratio",
                          "at 500/10"});
    const Subject s = subjects().front();
    for (const int threads : settings.threads) {
        Transformer gpt = random_transformer(s.config, WeightType::f16, threads);
        std::vector<int> text(512, 7);
        KvCache cache(s.config), none(s.config), early(s.config), late(s.config);
        const std::span<const int> ids(text);
        const auto token_at = [&](KvCache& c, std::size_t depth) {
            if (static_cast<std::size_t>(c.length()) < depth)
                gpt.forward(c, ids.first(depth - static_cast<std::size_t>(c.length())));
            return [&gpt, &c, ids, depth] {
                c.truncate(static_cast<int>(depth));
                keep(gpt.forward(c, ids.subspan(depth, 1))[0]);
            };
        };
        const auto cached = [&] {
            cache.truncate(0);
            keep(gpt.forward(cache, ids.first(400))[0]);
            for (std::size_t n = 400; n < 499; ++n) keep(gpt.forward(cache, ids.subspan(n, 1))[0]);
        };
        const auto without = [&] {
            for (std::size_t n = 400; n < 500; ++n) {
                none.truncate(0);
                keep(gpt.forward(none, ids.first(n))[0]);
            }
        };
        const std::vector<Timing> t = interleaved(
            {repeated("cached", cached), repeated("without", without),
             repeated("at 10", token_at(early, 10)), repeated("at 500", token_at(late, 500))},
            thorough() ? 5 : 1);
        table.row({"storyteller, f16", threads, Cell(t[0].median * 1e3, 1),
                   Cell(t[1].median * 1e3, 1), Cell(t[1].median / t[0].median, 1),
                   Cell(t[3].median / t[2].median, 2)});
    }
}

void run(const Settings& settings) {
    {
        Table table("gpt", pass_columns());
        for (const Subject& s : subjects()) {
            for (const WeightType type : {WeightType::f32, WeightType::f16}) {
                for (const int threads : settings.threads) measure_passes(table, s, type, threads);
            }
        }
    }
    cached_against_uncached(settings);
}

const Section section{
    "gpt", 30,
    "prefill and decode of whole models with random weights, as a share of the machine's limit",
    run};

}  // namespace

}  // namespace tbt::bench
