#include "chapters/06_combining/trace.hpp"

#include <algorithm>
#include <limits>

#include "chapters/01_next_token/next_token.hpp"
#include "lib/core/index.hpp"

namespace tbt {

std::size_t position_of(const Candidates& c, int id) {
    for (std::size_t i = 0; i < c.size(); ++i) {
        if (c.id(i) == id) return i;
    }
    return c.size();
}

Standing standing(Candidates& c, int id) {
    const std::size_t at = position_of(c, id);
    if (at == c.size() || c.logits()[at] == -std::numeric_limits<float>::infinity()) return {};
    std::size_t rank = 1;
    for (std::size_t i = 0; i < c.size(); ++i)
        rank += comes_before(c.logits()[i], c.id(i), c.logits()[at], id);
    return {rank, c.probability(at)};
}

double probability_of(Candidates& distribution, int id) {
    std::size_t low = 0, high = distribution.size();  // candidates are in the order of their ids
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        distribution.id(middle) < id ? low = middle + 1 : high = middle;
    }
    return low < distribution.size() && distribution.id(low) == id ? distribution.probability(low)
                                                                   : 0;
}

Trace trace(const Chain& chain, std::span<const float> logits, const TextSoFar& text, double u,
            int chosen, int top) {
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
