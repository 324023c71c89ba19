// Every processor and chain that transformers and this course both have, on the same logits.
#include "tests/catch.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "chapters/08_penalties/full_chain.hpp"
#include "lib/json/json.hpp"
#include "tests/support/skip.hpp"

using namespace tbt;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
const char* const file = "tests/data/tiny-gpt2/golden.json";

std::vector<float> row(const Json& values) {
    std::vector<float> s;
    for (const Json& v : values)
        s.push_back(v.is_null() ? minus_infinity : v.is_string() ? std::nanf("") : v.get<float>());
    return s;
}

// The processor on its own, as a step of the transformers dialect;
// nothing where we have no counterpart.
std::optional<Chain> processor(const std::string& name, const Json& p) {
    SamplingOptions o;
    o.min_tokens_to_keep = p.value("min_tokens_to_keep", 1);
    PenaltyOptions more;
    const auto bias = [&](std::vector<int> ids, float value) {
        more.bias.push_back({std::move(ids), value});
    };
    if (name == "TemperatureLogitsWarper") o.temperature = p["temperature"];
    else if (name == "TopKLogitsWarper") o.top_k = p["top_k"];
    else if (name == "TopPLogitsWarper") o.top_p = p["top_p"];
    else if (name == "MinPLogitsWarper") o.min_p = p["min_p"];
    else if (name == "TypicalLogitsWarper") o.typical_p = p["mass"];
    else if (name == "EpsilonLogitsWarper") o.epsilon_cutoff = p["epsilon"];
    else if (name == "EtaLogitsWarper") o.eta_cutoff = p["epsilon"];
    else if (name == "RepetitionPenaltyLogitsProcessor") o.repetition_penalty = p["penalty"];
    else if (name == "NoRepeatNGramLogitsProcessor") o.no_repeat_ngram_size = p["ngram_size"];
    else if (name == "MinNewTokensLengthLogitsProcessor")
        o.min_new_tokens = p["min_new_tokens"], more.eos = {p["eos_token_id"].get<int>()};
    // min_length counts the prompt too: as if all of it had been generated.
    else if (name == "MinLengthLogitsProcessor")
        o.min_new_tokens = p["min_length"], more.eos = {p["eos_token_id"].get<int>()};
    else if (name == "SuppressTokensLogitsProcessor")
        more.suppress = p["suppress_tokens"].get<std::vector<int>>();
    else if (name == "SuppressTokensAtBeginLogitsProcessor")
        more.begin_suppress = p["begin_suppress_tokens"].get<std::vector<int>>();
    else if (name == "ForcedBOSTokenLogitsProcessor")
        more.forced_bos = p["bos_token_id"].get<int>();
    else if (name == "ForcedEOSTokenLogitsProcessor")
        more.forced_eos = p["eos_token_id"].get<int>(), more.max_new_tokens = p["max_length"];
    else if (name == "ExponentialDecayLengthPenalty")
        o.decay_start = p["exponential_decay_length_penalty"][0],
        o.decay_factor = p["exponential_decay_length_penalty"][1],
        more.eos = {p["eos_token_id"].get<int>()};
    else if (name == "SequenceBiasLogitsProcessor")
        for (const Json& b : p["sequence_bias"])
            bias(b[0].get<std::vector<int>>(), b[1].is_null() ? minus_infinity : b[1].get<float>());
    else if (name == "NoBadWordsLogitsProcessor") {
        more.bad_words = p["bad_words_ids"].get<std::vector<std::vector<int>>>();
        if (p.contains("eos_token_id")) more.eos = {p["eos_token_id"].get<int>()};
    } else if (name == "LogitNormalization") o.renormalize = true;
    else return {};
    return full_chain(o, Dialect::transformers, more);
}

// Where the generated part begins, as each processor is told.
std::size_t prompt_length(const std::string& name, const Json& p) {
    for (const char* key : {"prompt_length_to_skip", "begin_index", "input_ids_seq_length"}) {
        if (p.contains(key)) return p[key];
    }
    return name == "ForcedBOSTokenLogitsProcessor" ? 1 : 0;  // after the one token there is
}

bool flagged(const Json& c) {
    return c.value("numeric_edge", false) || c.value("tie_order", false);
}

}  // namespace

TEST_CASE("every processor gives the logits that transformers gives", "[golden]") {
    if (!std::filesystem::exists(file)) return test::skip(std::string(file) + " is not there");
    const Json golden = read_json(file);
    int compared = 0;
    std::map<std::string, int> without;
    for (const Json& c : golden["processors"]) {
        if (flagged(c) || c.value("only_in", "") == "v4") continue;
        const std::string name = c["name"];
        const std::optional<Chain> chain = processor(name, c["params"]);
        if (!chain) {
            ++without[name];
            continue;
        }
        const std::vector<float> s =
            row(golden["processor_logits"][c["logits"].get<std::string>()]);
        const std::vector<int> prev = c["prev"].get<std::vector<int>>();
        const std::vector<float> expected =
            row(c.contains("v5_output") ? c["v5_output"] : c["output"]);
        INFO(name << " " << json_text(c["params"]) << " on " << c["logits"].get<std::string>()
                  << " after " << json_text(c["prev"]));
        const std::size_t prompt = prompt_length(name, c["params"]);
        Candidates k(s);
        chain->apply(k, {prev, prompt});
        std::vector<float> got(s.size(), minus_infinity);
        for (std::size_t i = 0; i < k.size(); ++i)
            got[static_cast<std::size_t>(k.id(i))] =
                static_cast<float>(static_cast<double>(k.logits()[i]) / k.temperature());
        for (std::size_t i = 0; i < s.size(); ++i) {
            INFO("token " << i << ": " << got[i] << ", expected " << expected[i]);
            if (expected[i] == minus_infinity) REQUIRE(got[i] == minus_infinity);
            // There: −∞ times a factor; here a ban stays a ban.
            else if (std::isnan(expected[i])) REQUIRE(got[i] == minus_infinity);
            // One part in 10^5, as the reference promises; logits reach 10^4 at T = 0.1.
            else
                REQUIRE(std::abs(got[i] - expected[i]) <=
                        1e-5f * std::max(1.0f, std::abs(expected[i])));
        }
        ++compared;
    }
    for (const auto& [name, n] : without) INFO("not compared: " << n << " × " << name);
    REQUIRE(compared >= 664);
}

TEST_CASE("every sampling chain gives the probabilities that transformers gives", "[golden]") {
    if (!std::filesystem::exists(file)) return test::skip(std::string(file) + " is not there");
    const Json golden = read_json(file);
    int compared = 0;
    for (const Json& c : golden["chains"]) {
        if (flagged(c)) continue;
        SamplingOptions o;
        PenaltyOptions more;
        for (const auto& [key, value] : c["params"].items()) {
            if (key == "temperature") o.temperature = value;
            else if (key == "top_k") o.top_k = value;
            else if (key == "top_p") o.top_p = value;
            else if (key == "min_p") o.min_p = value;
            else if (key == "typical_p") o.typical_p = value;
            else if (key == "epsilon_cutoff") o.epsilon_cutoff = value;
            else if (key == "eta_cutoff") o.eta_cutoff = value;
            else if (key == "repetition_penalty") o.repetition_penalty = value;
            else if (key == "no_repeat_ngram_size") o.no_repeat_ngram_size = value;
            else if (key == "min_new_tokens")
                o.min_new_tokens = value, more.eos = {golden["meta"]["eos_token_id"].get<int>()};
            else FAIL("unknown parameter " << key);
        }
        const std::vector<int> prompt = c["prompt"].get<std::vector<int>>();
        const std::vector<float> s = row(c["input"]);
        Candidates k(s);
        full_chain(o, Dialect::transformers, more).apply(k, {prompt, prompt.size()});
        const std::vector<double> p = k.probabilities();
        INFO(json_text(c["params"]));
        for (std::size_t i = 0; i < p.size(); ++i) {
            INFO("token " << i);
            REQUIRE(std::abs(p[i] - c["probs"][i].get<double>()) <= 1e-5);
        }
        ++compared;
    }
    REQUIRE(compared >= 35);
}
