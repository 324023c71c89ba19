// Options that few texts need, with their names in transformers and llama.cpp. options.hpp includes
// them; here they are declared, checked and passed on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chapters/06_combining/dialects.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "lib/files/model.hpp"

namespace CLI {
class App;
}

namespace tbt {

// An empty optional means that the option was not given.
struct RareOptions {
    std::optional<double> dynatemp_range, dynatemp_exponent, top_n_sigma;
    std::optional<double> xtc_probability, xtc_threshold;
    std::optional<int> mirostat;
    std::optional<double> mirostat_tau, mirostat_eta;
    std::optional<double> dry_multiplier, dry_base;
    std::optional<int> dry_allowed_length;
    std::vector<std::string> dry_breakers;              // texts
    std::vector<std::string> suppress, begin_suppress;  // ID or ID,ID,…
    std::optional<int> forced_bos, forced_eos;          // ids
    std::optional<std::string> exponential_decay;       // START,FACTOR
    std::vector<std::string> sequence_bias;             // ID,ID,…=VALUE
    std::optional<int> min_tokens_to_keep;
    bool renormalize = false;
    std::optional<std::uint64_t> watermark;  // its key
};

void add_rare_options(OptionTable& app, RareOptions& options);

// The names of the given options that truncate: greedy decoding and beam search cannot use them.
std::vector<std::string> given_rare_truncations(const RareOptions& options);

// Sets the sampling options. Throws UsageError if an option was given that has no effect without
// another. seed: the seed of the draws, also used for XTC's coins.
void set_rare(SamplingOptions& sampling, const RareOptions& options, std::uint64_t seed);

// Sets the penalty options. Throws UsageError for ids that the model does not have and for texts
// that are not lists of ids.
void set_rare(PenaltyOptions& penalties, const RareOptions& options, const Model& model,
              int max_new_tokens);

}  // namespace tbt
