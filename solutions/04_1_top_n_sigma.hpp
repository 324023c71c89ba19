// Exercise 04_1: top-nσ [Tang et al. 2024]: a cut in the logits, not in the probabilities.
//
// Logits of a good model look like noise, a bell curve around some mean,
// with the few tokens that make sense far out to the right. So measure how wide the noise is and
// keep what lies near the top:
//
//     μ = Σ s_i / n          σ² = Σ (s_i − μ)² / n          over the n logits that are not −∞
//     keep s_i   <=>   s_i >= max s − N·σ                   the rest becomes −∞
//
// A temperature divides all logits, and σ with them: unlike top-p,
// this cut keeps the same tokens at every temperature. (The paper's own code divides by n − 1;
// llama.cpp, and you, by n.)
//
// N = 0 is off. A negative N, or one that is not a number, is a UsageError.
// One logit at least is finite.
//
// The chapter's own version is in chapters/04_top_k/further/plain_top_n_sigma.hpp;
// write yours first.
//
// Write one function, about 15 lines, in double precision. Check: make check EX=04_1.
// See it: make try EX=04_1
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex04_1 {

constexpr float gone = -std::numeric_limits<float>::infinity();

// s: one logit for each token. Returns them with those that were cut at −∞.
inline std::vector<float> top_n_sigma([[maybe_unused]] std::vector<float> s,
                                      [[maybe_unused]] double N) {
    // >>> write here
    if (!(N >= 0))
        throw UsageError("top-n-sigma: got " + std::to_string(N) +
                         ", expected 0 (off) or more; 1 is usual");
    if (N == 0) return s;
    double sum = 0, squares = 0, n = 0;
    for (const float x : s) {
        if (x != gone) sum += static_cast<double>(x), ++n;
    }
    const double mean = sum / n;
    for (const float x : s) {
        if (x != gone) squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
    }
    const double border =
        static_cast<double>(*std::max_element(s.begin(), s.end())) - N * std::sqrt(squares / n);
    for (float& x : s) {
        if (static_cast<double>(x) < border) x = gone;
    }
    return s;
    // <<< to here
}

}  // namespace tbt::ex04_1
