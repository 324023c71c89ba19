// A sampling chain: an ordered list of named steps between the model's logits and the draw. The
// chain is data. A step is a name, its parameters as text, and a function on the candidates.
//
// Which steps, and in which order: the sampling options, dialects (how other programs treat the
// same request) and presets. Penalties and grammars are only names here; later chapters make the
// steps with these names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/06_combining/steps.hpp"

namespace tbt {

// Stands for the log-probability of a token that was written without asking the model.
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// What a step may use besides the candidates: the ids of the prompt and of the generated tokens,
// and their log-probabilities.
struct TextSoFar {
    std::span<const int> ids;
    std::size_t prompt_length = 0;
    // ln p of each generated token, for steps that need to know how surprising the text has been
    // (mirostat): in the model's own distribution, or in the distribution after the chain, as
    // Chain::surprise says. not_known for a token written without asking the model. Empty if the
    // decoder does not keep log-probabilities.
    std::span<const double> log_probabilities = {};
    std::span<const int> generated() const {
        return ids.subspan(std::min(prompt_length, ids.size()));
    }
};

// Which log-probabilities of earlier tokens a step needs.
enum class Surprise {
    none,
    raw,      // the model's own
    at_draw,  // after temperature and truncation, as the token was drawn (llama.cpp)
};

struct ChainStep {
    std::string name;        // "top-k"
    std::string parameters;  // "40"
    // Must depend on nothing but its arguments, so that a choice can be replayed and explained.
    std::function<void(Candidates&, const TextSoFar&)> apply;
    Surprise surprise = Surprise::none;
};

class Chain {
public:
    Chain() = default;
    explicit Chain(std::vector<ChainStep> steps) : steps_(std::move(steps)) {}

    const std::vector<ChainStep>& steps() const { return steps_; }
    bool has(std::string_view name) const {
        return std::any_of(steps_.begin(), steps_.end(),
                           [&](const ChainStep& step) { return step.name == name; });
    }
    // Which log-probabilities the steps need; none if no step uses them.
    Surprise surprise() const {
        for (const ChainStep& step : steps_)
            if (step.surprise != Surprise::none) return step.surprise;
        return Surprise::none;
    }
    void apply(Candidates& c, const TextSoFar& text) const {
        for (const ChainStep& step : steps_) step.apply(c, text);
    }
    // Chooses one token: applies the steps to the V logits, then draws with u in [0, 1). `scratch`
    // only lends its memory.
    int pick(std::span<const float> logits, const TextSoFar& text, double u,
             Candidates& scratch) const {
        scratch.reset(logits);
        apply(scratch, text);
        return draw(scratch, u);
    }
    // "repetition 1.2 → temperature 0.8 → top-k 40 → draw"
    std::string to_string() const {
        std::string line;
        for (const ChainStep& step : steps_)
            line += step.name + (step.parameters.empty() ? "" : " " + step.parameters) + " → ";
        return line + "draw";
    }

private:
    std::vector<ChainStep> steps_;
};

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

const std::vector<std::pair<std::string_view, Dialect>>& dialects();

// By name. transformers-4 and transformers-5 have the same steps; they differ in how beams stop
// (chapter 11).
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

// The steps of chapters 03 to 06 that the options switch on: temperature, truncation, XTC,
// mirostat, the minimum of tokens, renormalizing. Throws UsageError for an impossible value, even
// of an option that is off.
std::vector<ChainStep> truncation_steps(const SamplingOptions& o, Dialect dialect);

// ---- presets: named settings. The first two are from the parameter guides of the tutorials, the
// others from the measurements of chapter 24 ----
struct Preset {
    std::string_view name, good_for;
    SamplingOptions options;
};

const std::vector<Preset>& presets();

const Preset& preset_named(std::string_view name);

}  // namespace tbt
