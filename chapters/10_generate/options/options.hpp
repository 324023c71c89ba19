// The generator's command-line options, with transformers' names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options/rare_options.hpp"
#include "chapters/10_generate/options/word_options.hpp"
#include "lib/files/model.hpp"

namespace CLI {
class App;
}

namespace tbt {

// An empty optional means that the option was not given. That differs from a default value: an
// option that was given must not be ignored.
struct GenerateOptions : RareOptions, WordOptions, ModelOptions {
    std::optional<double> temperature, top_p, min_p, typical_p, epsilon_cutoff, eta_cutoff;
    std::optional<double> repetition_penalty, frequency_penalty, presence_penalty;
    std::optional<int> top_k, no_repeat_ngram_size, max_new_tokens, min_new_tokens;
    std::optional<std::uint64_t> seed;
    std::optional<std::string> preset, dialect, penalty_scope;
    std::vector<std::string> stop_strings, logit_bias;  // logit_bias: ID=VALUE
    bool greedy = false, do_sample = false, no_escape = false;
    std::string context = "refuse";
    int keep = 0, samples = 1;

    // --max-new-tokens -1: as many tokens as fit into the context.
    bool unlimited() const { return max_new_tokens == -1; }

    std::string model = shipped_model("storyteller").string();
};

void add_sampling_options(OptionTable& app,
                          GenerateOptions& options);  // how tokens are chosen, when a text ends
void add_samples_option(OptionTable& app, GenerateOptions& options);  // --num-return-sequences
void add_model_options(OptionTable& app, GenerateOptions& options);   // --model and how it is opened

// Throws UsageError on impossible options.
Model open_model(const GenerateOptions& options);

}  // namespace tbt
