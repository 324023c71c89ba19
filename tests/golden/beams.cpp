// Every beam search of the reference data: ids equal, scores to 1e-5.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "tests/support/skip.hpp"

using namespace tbt;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
const std::string folder = "tests/data/tiny-gpt2/";

EarlyStopping early_stopping_of(const Json& c) {
    const Json e = c.value("early_stopping", Json(false));
    return e.is_string()   ? EarlyStopping::never
           : e.get<bool>() ? EarlyStopping::yes
                           : EarlyStopping::no;
}

// What the course has no option for, as a step of the chain: beams take any processor.
ChainStep only_this_token(int token, std::size_t at_length) {
    return {"forced", "", [=](Candidates& k, const TextSoFar& t) {
                if (t.generated().size() + 1 != at_length) return;
                const std::span<float> row = k.whole_row();
                for (std::size_t i = 0; i < row.size(); ++i)
                    row[i] = static_cast<int>(i) == token ? 0 : minus_infinity;
            }};
}
// From the start on, the end's log-probability x grows by |x|·(factor^tokens − 1).
ChainStep towards_the_end(int eos, std::size_t start, double factor) {
    return {"decay", "", [=](Candidates& k, const TextSoFar& t) {
                const std::size_t n = t.generated().size();
                float* s = k.find(eos);
                if (n > start)
                    *s += std::abs(*s) * static_cast<float>(std::pow(factor, n - start) - 1);
            }};
}
ChainStep not_at_the_beginning(std::vector<int> tokens) {
    return {"begin", "", [tokens = std::move(tokens)](Candidates& k, const TextSoFar& t) {
                for (const int id : tokens)
                    if (t.generated().empty()) *k.find(id) = minus_infinity;
            }};
}

BeamRequest request_of(const Json& c, int default_eos, int context) {
    BeamRequest r;
    const std::vector<int> prompt = c["prompt"].get<std::vector<int>>();
    SamplingOptions o;
    PenaltyOptions more;
    const Json eos = c.contains("eos_token_id") ? c["eos_token_id"] : Json(default_eos);
    if (eos.is_array()) r.stop.eos = eos.get<std::vector<int>>();
    else if (!eos.is_null()) r.stop.eos = {eos.get<int>()};
    more.eos = r.stop.eos;
    r.stop.max_new_tokens = c["max_new_tokens"];
    r.stop.context = context;
    r.beams = {c["num_beams"], c.value("length_penalty", 1.0), early_stopping_of(c),
               c.value("num_return_sequences", 1)};
    std::vector<ChainStep> last;
    static const std::set<std::string> known = {"kind",
                                                "prompt",
                                                "hf430",
                                                "hf446",
                                                "v5",
                                                "robust",
                                                "eos_token_id",
                                                "max_new_tokens",
                                                "num_beams",
                                                "length_penalty",
                                                "early_stopping",
                                                "num_return_sequences",
                                                "num_beam_groups",
                                                "diversity_penalty"};
    for (const auto& [key, value] : c.items()) {
        if (known.count(key)) continue;
        else if (key == "no_repeat_ngram_size") o.no_repeat_ngram_size = value;
        else if (key == "repetition_penalty") o.repetition_penalty = value;
        else if (key == "min_new_tokens") o.min_new_tokens = value;
        else if (key == "min_length")
            o.min_new_tokens = std::max(0, value.get<int>() - static_cast<int>(prompt.size()));
        else if (key == "bad_words_ids")
            more.bad_words = value.get<std::vector<std::vector<int>>>();
        else if (key == "suppress_tokens")
            for (const int id : value) more.bias.push_back({{id}, minus_infinity});
        else if (key == "sequence_bias")
            for (const Json& b : value)
                more.bias.push_back({b[0].get<std::vector<int>>(), b[1].get<float>()});
        else if (key == "begin_suppress_tokens")
            last.push_back(not_at_the_beginning(value.get<std::vector<int>>()));
        else if (key == "forced_eos_token_id")
            last.push_back(only_this_token(value, static_cast<std::size_t>(r.stop.max_new_tokens)));
        else if (key == "exponential_decay_length_penalty")
            last.push_back(towards_the_end(default_eos, value[0].get<std::size_t>(), value[1]));
        else if (key == "renormalize_logits") o.renormalize = value;
        else FAIL("unknown parameter " << key);
    }
    std::vector<ChainStep> steps = full_chain(o, Dialect::transformers, more).steps();
    for (ChainStep& step : last) steps.push_back(std::move(step));
    r.processor = processor_of(Chain(std::move(steps)), prompt.size());
    return r;
}

// The cases of a kind, those aside that hang on the last bit of a float.
std::vector<Json> cases_of(const Json& golden, const std::string& kind) {
    std::vector<Json> cases;
    for (const Json& c : golden["generate"])
        if (c["kind"] == kind && !c.value("numeric_edge", false) && !c.value("tie_order", false))
            cases.push_back(c);
    return cases;
}

void require_equal(const std::vector<BeamText>& texts, const Json& expected) {
    REQUIRE(texts.size() == expected["sequences"].size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        INFO("text " << i);
        REQUIRE(texts[i].ids == expected["sequences"][i].get<std::vector<int>>());
        const double score = expected["scores"][i];
        // The reference is float32: 1e-5 absolute where scores are means,
        // as fine relative to sums above 1.
        REQUIRE(std::abs(texts[i].score - score) <= 1e-5 * std::max(1.0, std::abs(score)));
    }
}

}  // namespace

TEST_CASE("every beam search finds the texts and scores that transformers finds",
          "[golden][beam]") {
    if (!std::filesystem::exists(folder + "golden.json"))
        return test::skip(folder + " is not there");
    const Json golden = read_json(folder + "golden.json");
    Transformer gpt = load_transformer(folder);
    const std::vector<Json> cases = cases_of(golden, "beam");
    int differ = 0;
    for (const Json& c : cases) {
        BeamRequest request =
            request_of(c, golden["meta"]["eos_token_id"], gpt.config().n_positions);
        const std::vector<int> prompt = c["prompt"].get<std::vector<int>>();
        const bool changed = c.contains("v5") && c["v5"].is_object();
        INFO(json_text(c));
        // Version 5, as ours; and version 4, which stopped by another rule.
        for (const bool version_4 : {false, true}) {
            INFO("version " << (version_4 ? 4 : 5));
            request.beams.ends_speak = version_4;
            CachedBatch model(gpt);
            require_equal(beam_search(std::ref(model), request, prompt),
                          changed && !version_4 ? c["v5"] : c["hf446"]);
        }
        differ += changed;
    }
    REQUIRE(cases.size() == 200);
    REQUIRE(differ == 4);
}

TEST_CASE("groups of beams find the texts that transformers finds, when ended groups go on writing",
          "[golden][beam]") {
    if (!std::filesystem::exists(folder + "golden.json"))
        return test::skip(folder + " is not there");
    const Json golden = read_json(folder + "golden.json");
    Transformer gpt = load_transformer(folder);
    const std::vector<Json> cases = cases_of(golden, "group_beam");
    int silent_is_the_same = 0;
    for (const Json& c : cases) {
        INFO(json_text(c));
        BeamRequest request =
            request_of(c, golden["meta"]["eos_token_id"], gpt.config().n_positions);
        request.beams.ends_speak = true;
        const auto search = [&](int finished_groups_write) {
            request.beams.finished_groups_write = finished_groups_write;
            CachedBatch model(gpt);
            return diverse_beam_search(std::ref(model), request, c["num_beam_groups"],
                                       c["diversity_penalty"], c["prompt"].get<std::vector<int>>());
        };
        const std::vector<BeamText> texts = search(golden["meta"]["eos_token_id"]);
        require_equal(texts, c["hf446"]);
        const std::vector<BeamText> silent = search(-1);
        silent_is_the_same +=
            std::equal(texts.begin(), texts.end(), silent.begin(), silent.end(),
                       [](const BeamText& a, const BeamText& b) { return a.ids == b.ids; });
    }
    REQUIRE(cases.size() == 9);
    REQUIRE(silent_is_the_same < 9);
}
