#include "chapters/10_generate/generation_config.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

// Keys that change texts in transformers and are not supported here.
const std::vector<std::string> unused_keys = words_in(
    "max_length min_length max_time penalty_alpha dola_layers force_words_ids constraints "
    "encoder_repetition_penalty encoder_no_repeat_ngram_size token_healing watermarking_config "
    "top_h");

bool is_of(const Json& value, const double*) { return value.is_number(); }
constexpr int most = std::numeric_limits<int>::max();
bool is_of(const Json& value, const int*) { return is_integer(value, -most - 1, most); }
bool is_of(const Json& value, const bool*) { return value.is_boolean(); }
bool is_of(const Json& value, const std::string*) { return value.is_string(); }
template <class T>
bool is_of(const Json& value, const std::vector<T>*) {
    if (!value.is_array()) return false;
    for (const Json& item : value)
        if (!is_of(item, static_cast<const T*>(nullptr))) return false;
    return true;
}

std::string joined(const std::vector<int>& ids) {
    std::string text;
    for (const int id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

void fill_cuts(GenerateOptions& o, const GenerationConfig& config, bool searches) {
    if (searches && !o.do_sample) config.read("do_sample", o.do_sample);
    if (searches && !o.do_sample) return;
    if (o.preset || o.greedy || (o.temperature && *o.temperature == 0)) return;
    bool any = o.temperature || o.do_sample || o.seed || o.dialect || o.samples > 1 || o.watermark;
    each_truncation(o,
                    [&](const char*, const auto& given, auto) { any = any || given.has_value(); });
    bool draws = false;
    const bool says = config.read("do_sample", draws);
    if (says && !draws && !any) {
        o.greedy = true;
        return;
    }
    config.fill(o.temperature, "temperature");
    if (o.mirostat.value_or(0) == 0) {
        config.fill(o.top_k, "top_k"), config.fill(o.top_p, "top_p");
        config.fill(o.min_p, "min_p"), config.fill(o.typical_p, "typical_p");
        config.fill(o.epsilon_cutoff, "epsilon_cutoff"), config.fill(o.eta_cutoff, "eta_cutoff");
    }
    if (!says || !draws || o.dialect || o.mirostat.value_or(0) != 0) return;
    if (!o.temperature) o.temperature = 1;
    if (!o.top_k) o.top_k = 50;
    if (!o.top_p) o.top_p = 1;
}

void fill_lists(GenerateOptions& o, const GenerationConfig& config) {
    std::vector<int> ids;
    if (o.suppress.empty() && config.read("suppress_tokens", ids) && !ids.empty())
        o.suppress = {joined(ids)};
    if (o.begin_suppress.empty() && config.read("begin_suppress_tokens", ids) && !ids.empty())
        o.begin_suppress = {joined(ids)};
    if (o.bad_words.empty()) config.read("bad_words_ids", o.bad_words_ids);
    if (o.stop_strings.empty() && config.has("stop_strings")) {
        std::string one;
        if (config.json().at("stop_strings").is_string()) config.read("stop_strings", one);
        if (!one.empty()) o.stop_strings = {one};
        else config.read("stop_strings", o.stop_strings);
    }
    if (!o.exponential_decay && config.has("exponential_decay_length_penalty")) {
        std::vector<double> pair;
        config.read("exponential_decay_length_penalty", pair);
        if (pair.size() != 2 || !(std::abs(pair[0]) <= most) || pair[0] != std::floor(pair[0]))
            config.fail("exponential_decay_length_penalty", "[START, FACTOR]");
        o.exponential_decay =
            std::to_string(static_cast<int>(pair[0])) + "," + json_text(Json(pair[1]));
    }
    if (!o.sequence_bias.empty() || !config.has("sequence_bias")) return;
    // [[[ids], bias], …]
    if (!config.json().at("sequence_bias").is_array())
        config.fail("sequence_bias", "a list of [[ids], bias]");
    for (const Json& entry : config.json().at("sequence_bias")) {
        if (!entry.is_array() || entry.size() != 2 || !entry[1].is_number() ||
            !is_of(entry[0], static_cast<const std::vector<int>*>(nullptr)))
            config.fail("sequence_bias", "a list of [[ids], bias]");
        o.sequence_bias.push_back(joined(entry[0].get<std::vector<int>>()) + "=" +
                                  json_text(entry[1]));
    }
}

}  // namespace

GenerationConfig::GenerationConfig(const std::string& directory)
    : path_(join_path(directory, "generation_config.json")),
      json_(file_exists(path_) ? read_json(path_) : Json::object()) {
    if (!json_.is_object()) throw Error(path_ + ": is " + kind_of(json_) + ", expected an object");
}

bool GenerationConfig::has(const char* key) const {
    const auto found = json_.find(key);
    return found != json_.end() && !found->is_null();
}

void GenerationConfig::fail(const char* key, const char* expected) const {
    throw Error(path_ + ": " + key + " is " + kind_of(json_.at(key)) + ", expected " + expected);
}

template <class T>
bool GenerationConfig::read(const char* key, T& value) const {
    if (!has(key)) return false;
    const Json& found = json_.at(key);
    if constexpr (std::is_same_v<T, int>) integer_of(found, path_ + ": " + key, -most - 1, most);
    else if (!is_of(found, static_cast<const T*>(nullptr))) fail(key, "another kind of value");
    value = found.get<T>();
    return true;
}
template bool GenerationConfig::read(const char*, int&) const;
template bool GenerationConfig::read(const char*, double&) const;
template bool GenerationConfig::read(const char*, bool&) const;
template bool GenerationConfig::read(const char*, std::string&) const;

void use_generation_config(GenerateOptions& o, bool searches) {
    const GenerationConfig config(o.model);
    fill_cuts(o, config, searches);
    const bool counted = o.frequency_penalty || o.presence_penalty || o.dialect;
    if (!o.repetition_penalty &&
        !(o.preset && preset_named(*o.preset).options.repetition_penalty != 1)) {
        config.fill(o.repetition_penalty, "repetition_penalty");
        // transformers looks at the prompt, too. The scope is that of all penalties.
        if (o.repetition_penalty.value_or(1) != 1 && !o.penalty_scope && !counted)
            o.penalty_scope = "all";
    }
    config.fill(o.no_repeat_ngram_size, "no_repeat_ngram_size");
    config.fill(o.max_new_tokens, "max_new_tokens");
    if (!o.min_new_tokens) {
        config.fill(o.min_new_tokens, "min_new_tokens");
        if (o.min_new_tokens && o.max_new_tokens && !o.unlimited())
            o.min_new_tokens = std::min(*o.min_new_tokens, *o.max_new_tokens);
    }
    config.fill(o.forced_bos, "forced_bos_token_id");
    config.fill(o.forced_eos, "forced_eos_token_id");
    if (searches && !o.renormalize) config.read("renormalize_logits", o.renormalize);
    if (!o.samples_given && !o.greedy) config.read("num_return_sequences", o.samples);
    fill_lists(o, config);
    for (const auto& [key, value] : config.json().items()) {
        const bool off = value.is_null() || value == Json(false) || value == Json(0);
        if (off || std::count(unused_keys.begin(), unused_keys.end(), key) == 0) continue;
        std::fprintf(stderr, "%s: %s is not supported, and ignored\n", config.path().c_str(),
                     shown(key).c_str());
    }
}

}  // namespace tbt
