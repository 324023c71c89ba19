#include "chapters/06_combining/trace.hpp"

#include <algorithm>

#include "chapters/01_next_token/next_token.hpp"
#include "lib/core/index.hpp"

namespace tbt {

Standing standing(Candidates& c, int id) {
    const std::size_t at = c.position_of(id);
    if (at == c.size() || c.logits()[at] == masked) return {};
    std::size_t rank = 1;
    for (std::size_t i = 0; i < c.size(); ++i)
        rank += comes_before(c.logits()[i], c.id(i), c.logits()[at], id);
    return {rank, c.probability(at)};
}

double probability_of(Candidates& distribution, int id) {
    const std::size_t at = distribution.position_of(id);
    return at < distribution.size() ? distribution.probability(at) : 0;
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
    t.raw_rank = standing(c, chosen).rank;
    for (const Candidate& token : top_candidates(logits, top)) {
        t.top.push_back({token.id, c.probability(index(token.id)), 0, -1});
    }
    const auto alive = [&](int id) {
        const std::size_t at = c.position_of(id);
        return at < c.size() && c.logits()[at] != masked;
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
            if (c.logits()[i] != masked) left += before[index(c.id(i))];
        }
        s.mass_removed = s.candidates_after == s.candidates_before ? 0 : std::max(0.0, 1 - left);
        for (TracedToken& token : t.top) {
            if (alive(token.id)) token.removed_by = -1;  // a forced token may come back
            else if (token.removed_by < 0 && logits[index(token.id)] != masked)
                token.removed_by = to_int(k);
        }
        t.steps.push_back(std::move(s));
    }
    t.final_entropy = c.entropy();
    t.final_candidates = c.count();
    if (const std::size_t at = c.position_of(chosen); at < c.size())
        t.final_log_probability = c.log_probability(at);
    for (TracedToken& token : t.top) token.final_probability = probability_of(c, token.id);
    return t;
}

}  // namespace tbt
