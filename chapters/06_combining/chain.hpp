// A sampling chain: an ordered list of named steps between the model's logits and the draw.
//
// The chain is data. A step is a name, its parameters as text, and a function on the candidates;
// this header knows how to make the steps of chapters 03 to 05 and in which order
// each framework applies which names. It does not know penalties or grammars:
// later chapters make steps of their own, and in_order puts them where the dialect has them.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/06_combining/draw.hpp"
#include "chapters/06_combining/relatives.hpp"
#include "chapters/06_combining/temperature.hpp"
#include "chapters/06_combining/top_k.hpp"
#include "chapters/06_combining/top_p.hpp"
#include "lib/error.hpp"

namespace tbt {

// What a step may look at besides the candidates: prompt and generated ids.
struct TextSoFar {
    std::span<const int> ids;
    std::size_t prompt_length = 0;
    std::span<const int> generated() const {
        return ids.subspan(std::min(prompt_length, ids.size()));
    }
};

struct ChainStep {
    std::string name;        // "top-k"
    std::string parameters;  // "40"
    // Must depend on nothing but its arguments, so that a choice can be replayed and explained.
    std::function<void(Candidates&, const TextSoFar&)> apply;
};

class Chain {
public:
    Chain() = default;
    explicit Chain(std::vector<ChainStep> steps) : steps_(std::move(steps)) {}

    const std::vector<ChainStep>& steps() const { return steps_; }
    void apply(Candidates& c, const TextSoFar& text) const {
        for (const ChainStep& step : steps_) step.apply(c, text);
    }
    // One token: the steps, then the draw with u in [0, 1). The scratch candidates only
    // lend their memory.
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
    double repetition_penalty = 1;  // these and below: chapter 08
    double frequency_penalty = 0;
    double presence_penalty = 0;
    int no_repeat_ngram_size = 0;
    int min_new_tokens = 0;
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
        {"grammar", "bias", "bad-words", "min-new-tokens", "repetition", "frequency-presence",
         "no-repeat-ngram", "temperature", "top-k", "top-p", "min-p", "typical", "epsilon", "eta"},
        {"grammar", "bias", "repetition", "no-repeat-ngram", "bad-words", "min-new-tokens",
         "temperature", "top-k", "top-p", "min-p", "typical", "epsilon", "eta"},
        {"grammar", "bias", "repetition", "frequency-presence", "top-k", "typical", "top-p",
         "min-p", "temperature"},
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

// The steps of chapters 03 to 05 that the options switch on; every option is checked,
// also those that are off.
inline std::vector<ChainStep> cut_steps(const SamplingOptions& o, Dialect dialect) {
    check_temperature(o.temperature), check_top_k(o.top_k), check_top_p(o.top_p),
        check_min_p(o.min_p);
    check_typical_p(o.typical_p);
    check_cutoff("epsilon-cutoff", o.epsilon_cutoff), check_cutoff("eta-cutoff", o.eta_cutoff);
    std::vector<ChainStep> steps;
    const auto add = [&](bool on, const char* name, double value, auto&& function) {
        if (on)
            steps.push_back({name, short_number(value),
                             [function](Candidates& c, const TextSoFar&) { function(c); }});
    };
    const bool ties_stay = dialect == Dialect::transformers || dialect == Dialect::vllm;
    const Ties ties = ties_stay ? Ties::kept : Ties::exact;
    add(o.temperature != 1, "temperature", o.temperature,
        [T = o.temperature](Candidates& c) { apply_temperature(c, T); });
    add(o.top_k != 0, "top-k", o.top_k,
        [k = o.top_k, ties](Candidates& c) { keep_top_k(c, k, ties); });
    add(o.top_p != 1, "top-p", o.top_p, [p = o.top_p](Candidates& c) { keep_top_p(c, p); });
    add(o.min_p != 0, "min-p", o.min_p, [m = o.min_p](Candidates& c) { keep_min_p(c, m); });
    add(o.typical_p != 1, "typical", o.typical_p,
        [m = o.typical_p, ties](Candidates& c) { keep_typical(c, m, ties); });
    add(o.epsilon_cutoff != 0, "epsilon", o.epsilon_cutoff,
        [e = o.epsilon_cutoff](Candidates& c) { cut_epsilon(c, e); });
    add(o.eta_cutoff != 0, "eta", o.eta_cutoff,
        [e = o.eta_cutoff](Candidates& c) { cut_eta(c, e); });
    return steps;
}

}  // namespace tbt
