// Top-nσ [Tang et al. 2024]: logits look like noise with the few good tokens far above it; keep
// what lies near the top, measured in widths of the noise. The definition that the fast version
// in chapter 06 is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "chapters/04_top_k/plain_top_k.hpp"
#include "lib/core/error.hpp"

namespace tbt {

// Throws UsageError unless N is a number of widths.
inline void check_top_n_sigma(double N) {
    if (std::isfinite(N) && N >= 0) return;
    throw UsageError("top-n-sigma: got " + short_number(N) +
                     ", expected a number of standard deviations >= 0; 0 turns it off, 1 is usual");
}

// The least logit that stays, over the n logits that are not masked:
//
//   μ = Σ s_i / n,  σ² = Σ (s_i − μ)² / n,  keep s_i >= max s − N·σ
inline double top_n_sigma_border(std::span<const float> s, double N) {
    check_top_n_sigma(N), check_row(s);
    double n = 0, sum = 0, squares = 0;
    for (const float s_i : s) {
        if (s_i != masked) ++n, sum += s_i;
    }
    for (const float s_i : s) {
        if (s_i != masked) squares += (s_i - sum / n) * (s_i - sum / n);
    }
    return *std::max_element(s.begin(), s.end()) - N * std::sqrt(squares / n);
}

// A temperature divides all logits and σ with them: the same tokens stay at every temperature.
inline std::vector<float> top_n_sigma(std::span<const float> s, double N) {
    const double border = top_n_sigma_border(s, N);
    std::vector<float> kept(s.begin(), s.end());
    if (N == 0) return kept;
    for (float& s_i : kept) s_i = s_i >= border ? s_i : masked;
    return kept;
}

}  // namespace tbt
