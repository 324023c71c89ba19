// Options, and the same request as other programs understand it: which steps a dialect has, in
// which order, and what it does when it is told nothing. Penalties and grammars are known here by
// name only; later chapters make steps with those names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/06_combining/chain_step.hpp"

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
    int min_tokens_to_keep = 1;     // no cut keeps fewer
    bool renormalize = false;       // last of all: log-probabilities that add up to 1 (for beams)
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

// transformers-4 and transformers-5 have the same steps, and differ in how beams stop (chapter 11).

const std::vector<std::pair<std::string_view, Dialect>>& dialects();

Dialect dialect_named(std::string_view name);

std::string_view name_of(Dialect dialect);

// The names of all steps a dialect has, first to last. A grammar (chapter 13)
// masks before anything else.
const std::vector<std::string_view>& order_of(Dialect dialect);

// What a dialect does when it is told nothing. (transformers' top-k of 50 surprises many who
// ask for top-p alone.)
SamplingOptions defaults_of(Dialect dialect);

// The steps as a chain, in the order of the dialect. A step the dialect doesn't have is
// refused, not dropped.
Chain in_order(Dialect dialect, std::vector<ChainStep> steps);

}  // namespace tbt
