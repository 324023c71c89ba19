// The generator's command-line options, with the names of transformers and llama.cpp; their checks;
// and the request that they make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "lib/files/model.hpp"

namespace tbt {

struct OptionTable;

// An empty optional means that the option was not given. That differs from a default value: an
// option that was given must not be ignored.
struct GenerateOptions : ModelOptions {
    std::string model = shipped_model("storyteller").string();

    // How a token is chosen.
    std::optional<double> temperature, top_p, min_p, typical_p, epsilon_cutoff, eta_cutoff;
    std::optional<double> repetition_penalty, frequency_penalty, presence_penalty;
    std::optional<int> top_k, no_repeat_ngram_size;
    std::optional<std::uint64_t> seed;
    std::optional<std::string> preset, dialect, penalty_scope;
    std::vector<std::string> logit_bias;  // ID=VALUE
    // As transformers' bad_words_ids: bans the sequence of the word's tokens, alone and after a
    // space. A ban of "the" allows "there", and "the" in other tokens.
    std::vector<std::string> bad_words;
    std::vector<std::vector<int>> bad_words_ids;  // in addition; not on the command line
    // Texts that never appear, whatever their tokens. They are found like stop strings, but the
    // text goes on.
    std::vector<std::string> ban_text;
    bool greedy = false, do_sample = false;

    // Rarer ways to choose a token.
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

    // Where a text ends.
    std::optional<int> max_new_tokens, min_new_tokens;
    std::vector<std::string> stop_strings, stop_token_ids;  // ids: ID or ID,ID,…
    bool ignore_eos = false, no_escape = false;
    std::string context = "refuse";
    int keep = 0, samples = 1;
    bool samples_given = false;  // on the command line

    // --max-new-tokens -1: as many tokens as fit into the context.
    bool unlimited() const { return max_new_tokens == -1; }
};

// How tokens are chosen, and when a text ends.
void add_sampling_options(OptionTable& app, GenerateOptions& options);
void add_samples_option(OptionTable& app, GenerateOptions& options);  // --num-return-sequences
// --model and how it is opened
void add_model_options(OptionTable& app, GenerateOptions& options);

// Calls f(name, given, field) for each option that truncates or varies the temperature: its name,
// what was given, and its field in SamplingOptions, whose default value means off.
template <class Options, class F>
void each_truncation(Options& o, F f) {
    using S = SamplingOptions;
    f("--top-k", o.top_k, &S::top_k), f("--top-p", o.top_p, &S::top_p);
    f("--min-p", o.min_p, &S::min_p), f("--typical-p", o.typical_p, &S::typical_p);
    f("--epsilon-cutoff", o.epsilon_cutoff, &S::epsilon_cutoff);
    f("--eta-cutoff", o.eta_cutoff, &S::eta_cutoff);
    f("--dynatemp-range", o.dynatemp_range, &S::dynatemp_range);
    f("--top-n-sigma", o.top_n_sigma, &S::top_n_sigma);
    f("--xtc-probability", o.xtc_probability, &S::xtc_probability);
    f("--mirostat", o.mirostat, &S::mirostat);
    f("--min-tokens-to-keep", o.min_tokens_to_keep, &S::min_tokens_to_keep);
}

// The names of the given options that truncate or say how to draw: beam search cannot use them.
// Options that are off are not among them.
std::vector<std::string> given_truncations(const GenerateOptions& options);

// A line for each given option that changes nothing, such as --keep without --context slide. Nobody
// is refused for it: people copy their settings from other programs. Programs print the lines.
std::vector<std::string> without_effect(const GenerateOptions& options);
void print_notes(const std::vector<std::string>& notes);  // on stderr

// Throws UsageError on impossible options.
Model open_model(const GenerateOptions& options);

// The sampling options. Values that are not given come from the preset, or else from the dialect's
// defaults; without either, temperature is 0.8 and top-p 0.9.
SamplingOptions sampling_of(const GenerateOptions& options);

// The request. Throws UsageError for contradictions and impossible values.
GenerateRequest request_of(const GenerateOptions& options, const Model& model,
                           int default_max_new_tokens = 200);

// The ids of a prompt. Throws if it leaves no room for the requested tokens.
std::vector<int> prompt_ids(const GenerateOptions& options, const Model& model,
                            std::string_view prompt);

// The bytes of a model's tokens; empty for special tokens.
TokenBytes token_bytes_of(const Tokenizer& tokenizer);

// Replaces \n \t \r \\ \" \' by the characters that they stand for; other backslashes stay.
std::string unescaped(std::string_view text);

}  // namespace tbt
