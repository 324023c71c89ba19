#include "chapters/08_penalties/watermark.hpp"

#include <cmath>
#include <set>
#include <vector>

#include "chapters/08_penalties/checks.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

Watermark watermark_of(std::uint64_t key) {
    Watermark watermark;
    watermark.favours = [key](std::span<const int> context, int token) {
        std::uint64_t mixed = SplitMix64(key).next();
        for (const int id : context)
            mixed = SplitMix64(mixed + static_cast<std::uint64_t>(id)).next();
        return SplitMix64(mixed + static_cast<std::uint64_t>(token)).next();
    };
    return watermark;
}

void mark(Candidates& c, const TextSoFar& text, const Watermark& w) {
    if (!is_fresh(text.ids, text.prompt_length, w)) return;
    const std::span<const std::uint64_t> weights = c.weights();
    const auto total = static_cast<double>(c.total_weight());
    std::vector<std::size_t> places;  // of the candidates that can be drawn
    std::vector<double> p;
    std::vector<std::uint64_t> bits;
    for (std::size_t i = 0; i < c.size(); ++i) {
        if (c.logits()[i] == banned) continue;
        places.push_back(i), p.push_back(static_cast<double>(weights[i]) / total);
        bits.push_back(w.favours(text.ids.last(w.context), c.id(i)));
    }
    std::vector<double> factor(p.size(), 1);
    for (int layer = 0; layer < w.layers; ++layer) {
        double share = 0;
        for (std::size_t i = 0; i < p.size(); ++i)
            if (bits[i] >> layer & 1) share += p[i] * factor[i];
        for (std::size_t i = 0; i < p.size(); ++i)
            factor[i] *= (bits[i] >> layer & 1) ? 2 - share : std::max(0.0, 1 - share);
    }
    // s + ln factor has the probabilities p·factor: find() has divided the logits by T.
    for (std::size_t i = 0; i < places.size(); ++i) {
        float& logit = *c.find(c.id(places[i]));
        logit = factor[i] > 0
                    ? static_cast<float>(static_cast<double>(logit) + portable_log(factor[i]))
                    : banned;
    }
}

Evidence evidence_of(std::span<const int> text, const Watermark& w) {
    // Early layers have the most choice, so weights fall from 10 to 1 [Dathathri et al., §A.3].
    const auto weight = [&](int layer) {
        return w.layers > 1 ? 10.0 - 9.0 * layer / (w.layers - 1) : 1.0;
    };
    double all = 0, squares = 0;
    for (int layer = 0; layer < w.layers; ++layer)
        all += weight(layer), squares += weight(layer) * weight(layer);
    Evidence e;
    double sum = 0;
    std::set<std::vector<int>> seen;  // as is_fresh(), but fast for all places
    for (std::size_t n = w.context; n < text.size(); ++n) {
        const std::span<const int> context = text.subspan(n - w.context, w.context);
        if (!seen.insert({context.begin(), context.end()}).second) continue;
        ++e.tokens;
        const std::uint64_t bits = w.favours(context, text[n]);
        for (int layer = 0; layer < w.layers; ++layer)
            if (bits >> layer & 1) sum += weight(layer);
    }
    if (e.tokens == 0) return e;
    const auto n = static_cast<double>(e.tokens);
    e.favoured = sum / (n * all);
    e.z = (sum - n * all / 2) / std::sqrt(n * squares / 4);
    e.by_chance = std::erfc(e.z / std::sqrt(2.0)) / 2;
    return e;
}

}  // namespace tbt
