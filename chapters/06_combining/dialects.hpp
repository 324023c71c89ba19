// Options, and the same request as other programs understand it: which steps a dialect has, in
// which order, and what it does when it is told nothing. Penalties and grammars are known here by
// name only; later chapters make steps with those names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/06_combining/chain_step.hpp"
#include "lib/error.hpp"

namespace tbt {

// ---- options: transformers' names; a default value means that the step is off ----
struct SamplingOptions {
    double temperature = 1;
    int top_k = 0;
    double top_p = 1;
    double min_p = 0;
    double typical_p = 1;
    double epsilon_cutoff = 0;
    double eta_cutoff = 0;
    double dynatemp_range = 0, dynatemp_exponent = 1;
    double top_n_sigma = 0;
    double xtc_probability = 0, xtc_threshold = 0.1;
    int mirostat = 0;  // or its version, 1 or 2
    double mirostat_tau = 5, mirostat_eta = 0.1;
    std::uint64_t seed = 0;         // of the coins that steps toss, not of the draw
    double repetition_penalty = 1;  // these and below: chapter 08
    double frequency_penalty = 0;
    double presence_penalty = 0;
    int no_repeat_ngram_size = 0;
    int min_new_tokens = 0;
    double dry_multiplier = 0, dry_base = 1.75;
    int dry_allowed_length = 2;
    int decay_start = 0;  // exponential_decay_length_penalty: (start, factor)
    double decay_factor = 1;
};

// ---- dialects: the same request, as other programs understand it ----
enum class Dialect { ours, transformers, llama_cpp, vllm };

inline const std::vector<std::pair<std::string_view, Dialect>>& dialects() {
    static const std::vector<std::pair<std::string_view, Dialect>> all = {
        {"ours", Dialect::ours},
        {"transformers", Dialect::transformers},
        {"llama.cpp", Dialect::llama_cpp},
        {"vllm", Dialect::vllm}};
    return all;
}

inline Dialect dialect_named(std::string_view name) {
    for (const auto& [known, dialect] : dialects()) {
        if (known == name) return dialect;
    }
    throw UsageError("dialect: got '" + std::string(name) +
                     "', expected ours, transformers, llama.cpp or vllm");
}

inline std::string_view name_of(Dialect dialect) {
    return dialects()[static_cast<std::size_t>(dialect)].first;
}

// The names of all steps a dialect has, first to last. A grammar (chapter 13)
// masks before anything else.
inline const std::vector<std::string_view>& order_of(Dialect dialect) {
    static const std::vector<std::string_view> order[] = {
        {"grammar",
         "bias",
         "bad-words",
         "suppress",
         "begin-suppress",
         "min-new-tokens",
         "repetition",
         "frequency-presence",
         "no-repeat-ngram",
         "dry",
         "exponential-decay",
         "forced-bos",
         "forced-eos",
         "temperature",
         "dynamic-temperature",
         "top-n-sigma",
         "top-k",
         "top-p",
         "min-p",
         "typical",
         "epsilon",
         "eta",
         "xtc",
         "mirostat"},
        {"grammar", "bias", "repetition", "no-repeat-ngram", "bad-words", "min-new-tokens",
         "forced-bos", "forced-eos", "exponential-decay", "suppress", "begin-suppress",
         "temperature", "top-k", "top-p", "min-p", "typical", "epsilon", "eta"},
        {"grammar", "bias", "repetition", "frequency-presence", "dry", "top-n-sigma", "top-k",
         "typical", "top-p", "min-p", "xtc", "temperature", "dynamic-temperature", "mirostat"},
        {"grammar", "bias", "bad-words", "min-new-tokens", "repetition", "frequency-presence",
         "temperature", "min-p", "top-k", "top-p"}};
    return order[static_cast<std::size_t>(dialect)];
}

// What a dialect does when it is told nothing. (transformers' top-k of 50 surprises many who
// ask for top-p alone.)
inline SamplingOptions defaults_of(Dialect dialect) {
    SamplingOptions options;
    if (dialect == Dialect::transformers) options.top_k = 50;
    if (dialect == Dialect::llama_cpp) {
        options.temperature = 0.8;
        options.top_k = 40;
        options.top_p = 0.95;
        options.min_p = 0.05;
    }
    return options;
}

// The steps as a chain, in the order of the dialect. A step the dialect doesn't have is
// refused, not dropped.
inline Chain in_order(Dialect dialect, std::vector<ChainStep> steps) {
    const std::vector<std::string_view>& order = order_of(dialect);
    const auto place = [&](const ChainStep& step) {
        return std::find(order.begin(), order.end(), step.name) - order.begin();
    };
    for (const ChainStep& step : steps) {
        if (place(step) == static_cast<std::ptrdiff_t>(order.size())) {
            throw UsageError("dialect " + std::string(name_of(dialect)) + ": it has no step '" +
                             step.name + "'; leave that option off or choose another dialect");
        }
    }
    std::stable_sort(steps.begin(), steps.end(),
                     [&](const ChainStep& a, const ChainStep& b) { return place(a) < place(b); });
    return Chain(std::move(steps));
}

}  // namespace tbt
