// The sampling options, and dialects: how other programs treat the same request. A dialect has
// certain steps, an order of the steps, and defaults. Penalties and grammars are only names here;
// later chapters make the steps with these names.
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
    int mirostat = 0;  // its version, 1 or 2; 0: off
    double mirostat_tau = 5, mirostat_eta = 0.1;
    int min_tokens_to_keep = 1;     // no truncation keeps fewer
    bool renormalize = false;       // as the last step: probabilities add up to 1 (for beams)
    std::uint64_t seed = 0;         // for random decisions of steps (XTC), not for the draw
    double repetition_penalty = 1;  // this and all below: chapter 08
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

// By name. transformers-4 and transformers-5 have the same steps; they differ in how beams stop
// (chapter 11).

const std::vector<std::pair<std::string_view, Dialect>>& dialects();

Dialect dialect_named(std::string_view name);

std::string_view name_of(Dialect dialect);

// The names of all steps that a dialect has, in its order. The mask of a grammar (chapter 13)
// always comes first.
const std::vector<std::string_view>& order_of(Dialect dialect);

// The default options of a dialect. (The top-k of 50 in transformers surprises many who set only
// top-p.)
SamplingOptions defaults_of(Dialect dialect);

// The steps as a chain, in the order of the dialect. Throws UsageError for a step that the dialect
// does not have.
Chain in_order(Dialect dialect, std::vector<ChainStep> steps);

}  // namespace tbt
