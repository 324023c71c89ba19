// Speculative against plain decoding on the shipped models, the same chain and prompts, in turn.
// For each temperature and length of draft: tokens a second of both, their ratio,
// the share of judged tokens that was accepted, and how many tokens a pass of the target gave.
// "stored" keeps the weights in 16 bits, as they are on disk; f32 widens them once.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "lib/files/model.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

int tokens_a_text() { return quick() ? 16 : 120; }
const std::vector<std::string> prompts{
    "Once upon a time", "The weather today is",
    "User: What is gravity?\nAssistant:", "Explain photosynthesis:"};

struct Pair {
    Model target, draft;
    std::vector<std::vector<int>> prompts;
    SpeculativeRules rules;
};

struct Counts {
    double rounds = 0, judged = 0, accepted = 0, tokens = 0;
};

// One text for each prompt, token by token.
void plain(Pair& pair, std::uint64_t seed, double& tokens) {
    tokens = 0;
    for (const std::vector<int>& prompt : pair.prompts) {
        CachedModel model(pair.target.transformer);
        RandomChance chance(Rng(seed, 0));
        Candidates p;
        const auto pick = [&](std::span<const float> logits, std::span<const int> ids) {
            p.reset(logits);
            pair.rules.chain.apply(p, {ids, prompt.size()});
            return chance.draw(p);
        };
        generate(std::ref(model), prompt, tokens_a_text(), pick,
                 [&](int) { return ++tokens, true; });
    }
}

// The same number of tokens, drafted `length` at a time: by the sketch, or (lookup)
// from the text itself. Adds to the counts.
void speculative(Pair& pair, std::uint64_t seed, const DraftLength& length, bool lookup,
                 Counts& counts) {
    const auto watch = [&](const Round& round) {
        counts.rounds += 1;
        counts.judged += static_cast<double>(round.judged.size());
        counts.accepted += round.accepted();
        counts.tokens += static_cast<double>(round.tokens.size());
    };
    const auto go_on = [](int) { return true; };
    for (const std::vector<int>& prompt : pair.prompts) {
        CachedModel large(pair.target.transformer), small(pair.draft.transformer);
        RandomChance chance(Rng(seed, 0));
        const LastLogits target = [&](std::span<const int> ids, int count) {
            return large.last(ids, count);
        };
        ModelDraft model_draft(std::ref(small), pair.draft.config().n_positions);
        PromptLookup lookup_draft;
        if (lookup)
            speculate(target, lookup_draft, pair.rules, prompt, length, chance, go_on, watch);
        else speculate(target, model_draft, pair.rules, prompt, length, chance, go_on, watch);
    }
}

struct Way {
    std::string name;
    DraftLength length;
    bool lookup = false;
};

void measure(Table& table, Pair& pair, const std::string& weights, double temperature) {
    std::vector<Way> ways;
    for (const int length : {1, 2, 4, 6, 8, 12})
        ways.push_back({std::to_string(length), DraftLength::fixed(length)});
    const std::int64_t large = parameter_count(pair.target.config()),
                       small = parameter_count(pair.draft.config());
    ways.push_back({"adaptive", DraftLength::adaptive(12, cost_of_guess(small, large))});
    ways.push_back({"lookup 4", DraftLength::fixed(4), true});
    ways.push_back({"lookup, adaptive", DraftLength::adaptive(12, cost_of_guess(0, large)), true});

    double plain_tokens = 0;
    std::vector<Counts> counts(ways.size());
    std::vector<Contender> work;
    // Each run writes other texts, every candidate the same ones.
    std::vector<std::uint64_t> seeds(ways.size() + 1, 0);
    work.push_back(repeated("plain", [&] { plain(pair, ++seeds[0], plain_tokens); }));
    for (std::size_t w = 0; w < ways.size(); ++w) {
        work.push_back(repeated(ways[w].name, [&, w] {
            speculative(pair, ++seeds[w + 1], ways[w].length, ways[w].lookup, counts[w]);
        }));
    }
    const std::vector<Timing> timings = interleaved(work, 21, 0.001);
    const double texts = static_cast<double>(pair.prompts.size()) * tokens_a_text();
    for (std::size_t w = 0; w < ways.size(); ++w) {
        const Counts& c = counts[w];
        table.row({weights, Cell(temperature, 1), ways[w].name, Cell(c.accepted / c.judged, 3),
                   Cell(c.tokens / c.rounds, 2), Cell(texts / timings[0].median, 0),
                   Cell(texts / timings[w + 1].median, 0),
                   Cell(timings[0].median / timings[w + 1].median, 2)});
    }
}

void run(const Settings& settings) {
    Table table("speculative", {"weights", "T", "draft", "accepted", "a pass", "plain tok/s",
                                "spec tok/s", "ratio"});
    const std::filesystem::path models("data/models");
    const int threads = settings.threads.back();
    for (const bool wide : {false, true}) {
        if (wide && !thorough()) continue;
        TransformerOptions options{threads, {}};
        if (wide) options.weights = WeightType::f32;
        Pair pair{load_model(models / "storyteller", options),
                  load_model(models / "sketch", options),
                  {},
                  {}};
        for (const std::string& prompt : prompts)
            pair.prompts.push_back(encode_prompt(pair.target, prompt));
        pair.rules.max_new_tokens = tokens_a_text();
        pair.rules.context = pair.target.config().n_positions;
        for (const double temperature : {0.8, 0.0, 1.2}) {
            if (temperature != 0.8 && !thorough()) continue;
            SamplingOptions sampling;
            sampling.temperature = temperature;
            if (temperature > 0) sampling.top_p = 0.9;
            pair.rules.chain = full_chain(sampling, Dialect::ours);
            measure(table, pair, wide ? "f32" : "stored", temperature);
            if (quick()) return;
        }
    }
}

const Section section{"speculative", 60,
                      "drafts by the sketch, judged by the storyteller, against plain decoding",
                      run};

}  // namespace

}  // namespace tbt::bench
