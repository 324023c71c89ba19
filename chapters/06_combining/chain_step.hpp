// A sampling chain: an ordered list of named steps between the model's logits and the draw.
//
// The chain is data. A step is a name, its parameters as text, and a function on the candidates.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/06_combining/draw.hpp"

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

}  // namespace tbt
