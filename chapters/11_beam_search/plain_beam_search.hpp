// How texts of different lengths are compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// score = Σ ln p / n^α with n the number of generated tokens, the end-of-text token
// included, the prompt not.
//
// α = 0 is the text's probability, which only falls with every token; α = 1 the mean of ln p,
// the logarithm of 1/perplexity. Sums are negative, so a larger α favours longer texts:
// a "penalty" on brevity.
inline double length_normalised(double sum, std::size_t n, double alpha) {
    if (!std::isfinite(alpha))
        throw UsageError("length-penalty: got " + short_number(alpha) +
                         ", expected a finite number");
    if (alpha == 0 || n == 0) return sum;
    const auto length = static_cast<double>(n);
    return sum / (alpha == 1 ? length : portable_exp(alpha * portable_log(length)));
}

// Beam search, plainly: keep the B most probable beginnings, extend each by every token, keep B
// again. beam_search.hpp is the complete one: batched, cached, with transformers' rules.

struct PlainBeam {
    std::vector<int> ids;  // prompt and generated
    double sum = 0;  // Σ ln p of the generated tokens: the logarithm of the text's probability
};

// Finished texts (they end in eos or have max_new_tokens), the best first.
inline std::vector<PlainBeam> plain_beam_search(const NextLogits& model,
                                                const std::vector<int>& prompt, int B,
                                                int max_new_tokens, int eos,
                                                double length_penalty = 1) {
    check_at_least("plain beam search: B", B, 1);
    check_at_least("plain beam search: max_new_tokens", max_new_tokens, 0);
    std::vector<PlainBeam> live{{prompt, 0}}, finished;
    for (int n = 1; n <= max_new_tokens && !live.empty(); ++n) {
        // 1. Extend every beam by every token.
        std::vector<PlainBeam> candidates;
        for (const PlainBeam& beam : live) {
            const std::span<const float> s = model(beam.ids);
            const double ln_total = ln_sum(s, 1), largest = *std::max_element(s.begin(), s.end());
            for (int id = 0; id < count(s); ++id) {
                candidates.push_back(beam);
                candidates.back().ids.push_back(id);
                candidates.back().sum += s[index(id)] - largest - ln_total;
            }
        }
        // 2. Keep the B best. A text that has ended leaves the beam: it must not be extended.
        std::stable_sort(candidates.begin(), candidates.end(),
                         [](const PlainBeam& a, const PlainBeam& b) { return a.sum > b.sum; });
        candidates.resize(std::min(candidates.size(), index(B)));
        live.clear();
        for (PlainBeam& c : candidates)
            (c.ids.back() == eos || n == max_new_tokens ? finished : live).push_back(std::move(c));
    }
    // 3. Short texts have larger sums; the length penalty makes lengths comparable.
    const auto score = [&](const PlainBeam& b) {
        return length_normalised(b.sum, b.ids.size() - prompt.size(), length_penalty);
    };
    std::stable_sort(finished.begin(), finished.end(),
                     [&](const PlainBeam& a, const PlainBeam& b) { return score(a) > score(b); });
    return finished;
}

}  // namespace tbt
