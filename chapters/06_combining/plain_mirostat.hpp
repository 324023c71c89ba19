// Mirostat [Basu et al. 2021], version 2: a thermostat for surprise. With top-k and top-p the
// surprise of a text may drift; mirostat keeps it near a target.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "chapters/05_top_p/plain_relatives.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt {

inline constexpr double ln_2 = 0.6931471805599453;

// Throws UsageError unless the target tau (in bits) and the learning rate eta are usable.
inline void check_mirostat(double tau, double eta) {
    if (!(std::isfinite(tau) && tau >= 0))
        throw UsageError("mirostat-tau: got " + short_number(tau) +
                         ", expected a number of bits >= 0; 5 is usual, 3 is cautious");
    if (!(std::isfinite(eta) && eta > 0))
        throw UsageError("mirostat-eta: got " + short_number(eta) +
                         ", expected a rate above 0; 0.1 is usual");
}

// mu: the most bits by which the next token may surprise. It starts at 2·tau. Each token with the
// surprise S = −log2 p in the model's own distribution moves it, to bring S nearer to the target:
//
//   mu ← mu − eta·(S − tau)
//
// No state is kept: mu is computed from ln p of each token generated so far. A token whose ln p is
// not known (NaN: it was forced without asking the model) does not change mu.
inline double mirostat_mu(std::span<const double> log_probabilities, double tau, double eta) {
    check_mirostat(tau, eta);
    double mu = 2 * tau;
    for (const double ln_p : log_probabilities)
        if (!std::isnan(ln_p)) mu -= eta * (-ln_p / ln_2 - tau);
    return mu;
}

// Keeps the tokens with −log2 p_i <= mu; the most probable ones always stay.
inline std::vector<float> mirostat(std::span<const float> s, double T, double mu) {
    return keep_above(s, T, -mu * ln_2, ln_sum(s, T));
}

}  // namespace tbt
