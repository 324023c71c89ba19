// Mirostat [Basu et al. 2021], version 1: the same thermostat as version 2, but it truncates by
// top-k. It assumes that the distribution follows Zipf's law, p_i ∝ i^−s, and computes the k that
// surprises by mu bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/06_combining/plain_mirostat.hpp"

namespace tbt {

// The number of most probable tokens from which version 1 estimates s (as in llama.cpp).
inline constexpr std::size_t mirostat_looks_at = 100;

// The exponent by least squares, from the m largest logits in descending order:
//
//   t_i = ln((i + 1)/i),  b_i = ln(p_i/p_i+1) = (s_i − s_i+1)/T,  s = Σ t_i·b_i / Σ t_i²
//
// and the k whose top-k surprises by mu bits under Zipf's law over V tokens:
//
//   ε = s − 1,  k = (ε·2^mu / (1 − V^−ε))^(1/s)
//
// rounded down, from 1 to V. At ε = 0 the fraction ε / (1 − V^−ε) is 1/ln V.
inline int mirostat_k(std::span<const float> largest, std::size_t V, double T, double mu) {
    double products = 0, squares = 0;
    for (std::size_t i = 1; i < largest.size() && largest[i] != masked; ++i) {
        const double t = portable_log(static_cast<double>(i + 1) / static_cast<double>(i));
        products += t * (static_cast<double>(largest[i - 1]) - largest[i]) / T;
        squares += t * t;
    }
    if (squares == 0) return 1;  // there is only one token
    const double s = products / squares, e = s - 1, ln_V = portable_log(static_cast<double>(V));
    const double fraction = std::abs(e) < 1e-6 ? 1 / ln_V : e / (1 - portable_exp(-e * ln_V));
    const double ln_k = (portable_log(fraction) + mu * ln_2) / s;
    if (!(ln_k > 0)) return 1;  // also for 0/0, if all tokens are equal and mu just fits
    return ln_k < ln_V ? static_cast<int>(portable_exp(ln_k)) : static_cast<int>(V);
}

inline std::vector<float> mirostat_1(std::span<const float> s, double T, double mu) {
    std::vector<float> largest(s.begin(), s.end());
    std::sort(largest.begin(), largest.end(), std::greater<>());
    largest.resize(std::min(largest.size(), mirostat_looks_at));
    return top_k(s, mirostat_k(largest, count_kept(s), T, mu));
}

}  // namespace tbt
