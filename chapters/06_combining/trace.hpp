// Why this token? A choice replayed step by step.
//
// Nothing is recorded while a text is generated: steps depend on their arguments only, so whoever
// wants to know runs the chain once more on the same logits, knowing now which token was drawn.
// Off, this costs nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/06_combining/chain.hpp"
#include "lib/index.hpp"

namespace tbt {

// A token's place in a distribution.
struct Standing {
    std::size_t rank = 0;  // 1 is the most probable by the total order; 0: no longer a candidate
    double probability = 0;
};

struct StepTrace {
    std::string name, parameters;
    std::size_t candidates_before = 0, candidates_after = 0;
    double mass_removed = 0;  // the probability, before the step, of the candidates it removed
    double entropy_before = 0, entropy_after = 0;
    Standing chosen_before, chosen_after;
};

struct TracedToken {
    int id = 0;
    double raw_probability = 0, final_probability = 0;
    int removed_by = -1;  // index into steps; −1: still there
};

struct Trace {
    std::vector<StepTrace> steps;
    double raw_entropy = 0, final_entropy = 0;
    std::size_t raw_candidates = 0, final_candidates = 0;
    double u = 0;
    int chosen = 0;
    double raw_log_probability = 0,
           final_log_probability = 0;  // of the chosen token, without the chain and with it
    std::vector<TracedToken> top;      // the first by the model's own logits
};

inline std::size_t position_of(const Candidates& c, int id) {
    for (std::size_t i = 0; i < c.size(); ++i) {
        if (c.id(i) == id) return i;
    }
    return c.size();
}

inline Standing standing(Candidates& c, int id) {
    const std::size_t at = position_of(c, id);
    if (at == c.size() || c.logits()[at] == -std::numeric_limits<float>::infinity()) return {};
    std::size_t rank = 1;
    for (std::size_t i = 0; i < c.size(); ++i)
        rank += comes_before(c.logits()[i], c.id(i), c.logits()[at], id);
    return {rank, c.probability(at)};
}

inline Trace trace(const Chain& chain, std::span<const float> logits, const TextSoFar& text,
                   double u, int chosen, int top = 5) {
    Trace t;
    t.u = u;
    t.chosen = chosen;
    Candidates c(logits);
    t.raw_entropy = c.entropy();
    t.raw_candidates = c.count();
    t.raw_log_probability = c.log_probability(index(chosen));
    for (const Candidate& token : top_candidates(logits, top)) {
        t.top.push_back({token.id, c.probability(index(token.id)), 0, -1});
    }
    const auto alive = [&](int id) {
        const std::size_t at = position_of(c, id);
        return at < c.size() && c.logits()[at] != -std::numeric_limits<float>::infinity();
    };
    for (std::size_t k = 0; k < chain.steps().size(); ++k) {
        const ChainStep& step = chain.steps()[k];
        StepTrace s{step.name, step.parameters,     c.count(), 0, 0, c.entropy(),
                    0,         standing(c, chosen), {}};
        const std::vector<double> before = c.probabilities();
        step.apply(c, text);
        s.candidates_after = c.count();
        s.entropy_after = c.entropy();
        s.chosen_after = standing(c, chosen);
        double left = 0;
        for (std::size_t i = 0; i < c.size(); ++i) {
            if (c.logits()[i] != -std::numeric_limits<float>::infinity())
                left += before[index(c.id(i))];
        }
        s.mass_removed = s.candidates_after == s.candidates_before ? 0 : std::max(0.0, 1 - left);
        for (TracedToken& token : t.top) {
            if (token.removed_by < 0 && !alive(token.id)) token.removed_by = to_int(k);
        }
        t.steps.push_back(std::move(s));
    }
    t.final_entropy = c.entropy();
    t.final_candidates = c.count();
    if (const std::size_t at = position_of(c, chosen); at < c.size())
        t.final_log_probability = c.log_probability(at);
    for (TracedToken& token : t.top) {
        if (token.removed_by < 0) token.final_probability = c.probability(position_of(c, token.id));
    }
    return t;
}

}  // namespace tbt
