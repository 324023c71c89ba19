// Today's models in their published shapes, with random weights, beside what they should reach; and
// what depends on their vocabularies alone, three times GPT-2's: masks and the usual chain.
#include <memory>
#include <string>
#include <vector>

#include "lib/files/random_model.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/machine/files.hpp"
#include "tests/bench/masks.hpp"
#include "tests/bench/passes.hpp"
#include "tests/bench/sampling.hpp"
#include "tests/bench/vocabulary.hpp"

namespace tbt::bench {

namespace {

// Today's, in their published shapes; a context as short as is measured.
std::vector<Subject> todays_subjects() {
    std::vector<Subject> all = {{"SmolLM2 135M", preset_config("smollm2-135m"), 512, 896, 3},
                                {"Qwen2.5 0.5B", preset_config("qwen2.5-0.5b"), 512, 896, 3},
                                {"Llama 3.2 1B", preset_config("llama-3.2-1b"), 256, 896, 3}};
    if (!thorough() && !quick()) all.resize(1);
    for (Subject& s : all) {
        s.config.n_positions = 1024;
        if (!quick()) continue;
        s.config.n_layer = 1, s.config.vocab_size = 500, s.prompt = s.depth = 64;
        if (!s.config.architecture.layers.empty()) s.config.architecture.layers.resize(1);
    }
    return all;
}

void measure_masks(Table& table, const std::shared_ptr<const TokenTrie>& trie) {
    const auto rows = [&](const std::string& name, const auto& make) {
        const MaskTimes t = time_masks(trie, {json_text()}, make);
        table.row({"masks, " + name, "mean, µs", Cell(t.fresh.mean(), 2), Cell(20, 0)});
        table.row({"masks, " + name, "the first, ms", Cell(t.fresh.each[0] * 1e3, 2), Cell(5, 0)});
        table.row({"masks, " + name, "p99, µs", Cell(t.fresh.at(0.99), 0), "none"});
        table.row({"masks, " + name, "seen before, µs", Cell(t.known.mean(), 2), "none"});
    };
    rows("json.gbnf", [] {
        return std::make_shared<GrammarRecognizer>(
            compile_gbnf(read_file("data/grammars/json.gbnf")));
    });
    rows("schema", [] {
        SchemaOptions options;
        options.max_whitespace = 12;
        return std::make_shared<GrammarRecognizer>(
            compile_schema(R"({"type":"array","items":{"type":"object"}})", options));
    });
}

void measure_chain(Table& table, std::size_t size) {
    for (const double sigma : {1.0, 4.0}) {
        const auto row = std::make_shared<const LineVector<float>>(normal_row(size, sigma));
        const Timing t = interleaved({step("usual chain", row, usual_chain)})[0];
        table.row({"top-k 40, T, top-p, draw",
                   sigma == 1.0 ? "flat logits, µs" : "peaked logits, µs", Cell(t.median * 1e6, 1),
                   Cell(40, 0)});
    }
}

void run(const Settings& settings) {
    {
        std::vector<std::string> columns = pass_columns();
        columns.emplace_back("aim");
        Table table("models", columns);
        for (const Subject& s : todays_subjects())
            for (const WeightType type :
                 {WeightType::f16, WeightType::int4, WeightType::int8, WeightType::f32})
                if (thorough() || type == WeightType::f16 || type == WeightType::int4)
                    measure_passes(table, s, type, settings.threads.back(), true);
    }
    std::string name;
    std::vector<std::string> tokens = large_vocabulary(name);
    const std::size_t size = tokens.size();
    std::printf("\n%s, %zu tokens, one thread:\n", name.c_str(), size);
    Table table("models", {"of this vocabulary", "what", "figure", "aim"});
    measure_masks(table, std::make_shared<const TokenTrie>(std::move(tokens), to_int(size) - 1));
    measure_chain(table, size);
}

const Section section{"models", 31,
                      "the same for the shape of SmolLM2 135M (--thorough: Qwen2.5 0.5B and Llama "
                      "3.2 1B, too), with masks and a draw over 151,936 tokens, beside their aims",
                      run};

}  // namespace

}  // namespace tbt::bench
