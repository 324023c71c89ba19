// What speculation is made for: a target far outside the caches (GPT-2's shape, 124 million random
// weights), and a draft that costs nothing and is right with probability α. It is scripted: it
// knows the text that plain decoding writes, and says something else with probability 1 − α.
// Coupled by seed, so the text must be the plain one; "adaptive" goes by the clock, and goes on in
// the next text with what it has learned.
#include <memory>
#include <string>
#include <vector>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "lib/core/error.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/random_model.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

constexpr int tokens_a_text = 64, vocabulary = 50257;

// The tokens that come are known. Each guess is right with probability α, decided by its place.
class ScriptedDraft {
public:
    ScriptedDraft(const std::vector<int>& text, double right) : text_(&text), right_(right) {}

    template <class Ends, class Chance>
    const std::vector<DraftedToken>& propose(const Chain&, std::span<const int> ids,
                                             std::size_t prompt_length, int length, Ends&&,
                                             Chance&) {
        drafted_.clear();
        std::size_t at = ids.size() - prompt_length;
        for (; count(drafted_) < length && at < text_->size(); ++at) {
            const bool right = Rng(at, 124).uniform() < right_;
            drafted_.push_back({right ? (*text_)[at] : ((*text_)[at] + 1) % vocabulary, nullptr});
        }
        return drafted_;
    }

private:
    const std::vector<int>* text_;
    double right_;
    std::vector<DraftedToken> drafted_;
};

GenerateRequest request() {
    GenerateRequest r;
    SamplingOptions sampling;
    sampling.temperature = 0.8;
    r.chain = full_chain(sampling, Dialect::ours);
    r.stop.max_new_tokens = tokens_a_text;
    r.stop.context = preset_config("gpt2").n_positions;
    return r;
}

std::vector<int> write(Transformer& gpt, const GenerateRequest& r, double& passes) {
    CachedBatch batch(gpt);
    const BatchLogits model = [&](std::span<const BatchText> texts) {
        return ++passes, batch(texts);
    };
    const TokenBytes bytes = [](int) { return std::string_view("x"); };
    return generate_texts(model, bytes, std::vector<int>{11, 12, 13, 14}, r)[0].ids;
}

void measure(Table& table, Transformer& gpt, const std::string& weights) {
    double plain_passes = 0;
    const std::vector<int> text = write(gpt, request(), plain_passes);
    struct Way {
        double right;
        std::string name;
        DraftLength length;
        double passes = 0, runs = 0;
    };
    std::vector<Way> ways;
    for (const double right : {.7, .8, .9}) {
        for (const int length : {4, 8})
            ways.push_back({right, std::to_string(length), DraftLength::fixed(length)});
        ways.push_back({right, "adaptive", DraftLength::timed(12)});
    }
    std::vector<Contender> work{repeated("plain", [&] { write(gpt, request(), plain_passes); })};
    for (Way& way : ways)
        work.push_back(repeated(way.name, [&] {
            GenerateRequest r = request();
            guess_with<ScriptedDraft>(
                r, [&](std::size_t) { return ScriptedDraft(text, way.right); }, way.length);
            way.runs += 1;
            if (write(gpt, r, way.passes) != text) throw Error("bench: a draft changed the text");
        }));
    const std::vector<Timing> timings = interleaved(work, 3, 0.001);
    for (std::size_t w = 0; w < ways.size(); ++w)
        table.row({weights, Cell(ways[w].right, 1), ways[w].name,
                   Cell(tokens_a_text * ways[w].runs / ways[w].passes, 2),
                   Cell(tokens_a_text / timings[0].median, 1),
                   Cell(tokens_a_text / timings[w + 1].median, 1),
                   Cell(timings[0].median / timings[w + 1].median, 2)});
}

void run(const Settings& settings) {
    Table table("scripted",
                {"weights", "right", "draft", "a pass", "plain tok/s", "spec tok/s", "ratio"});
    TransformerConfig config = preset_config("gpt2");
    if (quick()) config.n_layer = 1;
    for (const WeightType type : {WeightType::f32, WeightType::f16}) {
        if (type == (quick() ? WeightType::f32 : WeightType::f16) && !thorough()) continue;
        Transformer gpt(config, random_weights(config, 1), {settings.threads.back(), type});
        measure(table, gpt, type == WeightType::f32 ? "f32" : "f16");
    }
}

const Section section{"scripted", 61,
                      "124 million weights and a scripted draft: what speculation can gain", run};

}  // namespace

}  // namespace tbt::bench
