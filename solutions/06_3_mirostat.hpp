// Exercise 06_3: mirostat [Basu et al. 2021], version 2: a thermostat for surprise.
//
// Top-k and top-p limit which tokens may come; the text's surprise then drifts,
// low (it repeats itself) or high (it falls apart). Mirostat fixes the surprise.
// It keeps one number, mu: the greatest surprise that a token may have, in bits. After each token
// it moves mu, so that the surprise comes nearer to the target tau:
//
//     S_i = −log2 p_i        the surprise of token i, in bits
//     1. keep the tokens with S_i <= mu; the most probable one always stays
//        (of equal ones the lower id)
//     2. draw from what is left, renormalised, in the order of the ids:
//        the first i with Σ_{j <= i} q_j > u
//     3. mu ← mu − eta·(S_drawn − tau)        with S of the model's own distribution,
//        before the cut
//
// mu starts at 2·tau. (llama.cpp takes S after the cut in step 3; the paper's authors before it, as
// here.) tau below 0, eta not above 0, u outside [0, 1), or a NaN: UsageError.
//
// The chapter's own version is in chapters/06_combining/plain_mirostat.hpp; write yours first.
//
// Write two functions, about 15 lines. Check: make check EX=06_3
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex06_3 {

// Bits; infinite for p = 0. portable_log (math.hpp) is ln x, and ln 2 is .6931471805599453.
inline double surprise([[maybe_unused]] double p) {
    // >>> write here
    return p > 0 ? -portable_log(p) / .6931471805599453 : std::numeric_limits<double>::infinity();
    // <<< to here
}

// p: one probability for each token, by id. Returns the token drawn and moves mu.
inline int mirostat([[maybe_unused]] std::span<const double> p, [[maybe_unused]] double tau,
                    [[maybe_unused]] double eta, [[maybe_unused]] double& mu,
                    [[maybe_unused]] double u) {
    // >>> write here
    if (!(tau >= 0 && eta > 0 && u >= 0 && u < 1))
        throw UsageError("mirostat: expected tau >= 0, eta > 0, u in [0, 1)");
    const auto best = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    const auto stays = [&](std::size_t i) {
        return i == best || (p[i] > 0 && surprise(p[i]) <= mu);
    };
    double mass = 0;
    for (std::size_t i = 0; i < p.size(); ++i) mass += stays(i) ? p[i] : 0;
    std::size_t drawn = best;
    double passed = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (!stays(i)) continue;
        drawn = i;
        if ((passed += p[i]) > u * mass) break;
    }
    mu -= eta * (surprise(p[drawn]) - tau);
    return static_cast<int>(drawn);
    // <<< to here
}

}  // namespace tbt::ex06_3
