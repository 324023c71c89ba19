// Options that few texts need, with the names that transformers and llama.cpp have for them.
// They come with those of options.hpp; here they are declared, checked and handed on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chapters/06_combining/dialects.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "lib/model/model.hpp"

namespace CLI {
class App;
}

namespace tbt {

// An empty optional was not given.
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

void add_rare_options(CLI::App& app, RareOptions& options);

// Those that choose among candidates, by name: greedy decoding and beams have no use for them.
std::vector<std::string> given_rare_cuts(const RareOptions& options);

// Throws UsageError where one was given that means nothing without another that was not.
// The coins of XTC are tossed with the seed of the draws.
void set_rare(SamplingOptions& sampling, const RareOptions& options, std::uint64_t seed);

// Throws UsageError on ids that the model does not have and on texts that are no lists of them.
void set_rare(PenaltyOptions& penalties, const RareOptions& options, const Model& model,
              int max_new_tokens);

}  // namespace tbt
