// Explains why a token was chosen, by replaying the choice step by step.
//
// Nothing is recorded while a text is generated. Steps depend only on their arguments, so a trace
// runs the chain again on the same logits, knowing which token was drawn. Without a trace this
// costs nothing.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "chapters/06_combining/chain.hpp"

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
    int removed_by = -1;  // index into steps; −1: not removed, or masked by the model's own logits
};

struct Trace {
    std::vector<StepTrace> steps;
    double raw_entropy = 0, final_entropy = 0;
    std::size_t raw_candidates = 0, final_candidates = 0;
    double u = 0;
    int chosen = 0;
    std::size_t raw_rank = 0;  // of the chosen token, as in Standing
    // Of the chosen token, before and after the chain; −∞ if it was masked or removed.
    double raw_log_probability = 0,
           final_log_probability = -std::numeric_limits<double>::infinity();
    std::vector<TracedToken> top;  // the likeliest tokens by the model's own logits

    // The log-probability of the kind that a step needs.
    double log_probability(Surprise surprise) const {
        return surprise == Surprise::at_draw ? final_log_probability : raw_log_probability;
    }
};

Standing standing(Candidates& c, int id);

// p(id); 0 for a token that was removed or masked.
double probability_of(Candidates& distribution, int id);

Trace trace(const Chain& chain, std::span<const float> logits, const TextSoFar& text, double u,
            int chosen, int top = 5);

}  // namespace tbt
