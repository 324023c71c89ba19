// Mirostat [Basu et al. 2021], version 2: a thermostat for surprise. Top-k and top-p fix how many
// tokens may come, and the text's surprise drifts; this fixes the surprise.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "chapters/05_top_p/plain_relatives.hpp"
#include "lib/error.hpp"
#include "lib/kernels/math.hpp"

namespace tbt {

inline constexpr double ln_2 = 0.6931471805599453;

// Throws UsageError unless the target (bits) and the rate can be used.
inline void check_mirostat(double tau, double eta) {
    if (!(std::isfinite(tau) && tau >= 0))
        throw UsageError("mirostat-tau: got " + short_number(tau) +
                         ", expected a number of bits >= 0; 5 is usual, 3 is cautious");
    if (!(std::isfinite(eta) && eta > 0))
        throw UsageError("mirostat-eta: got " + short_number(eta) +
                         ", expected a rate above 0; 0.1 is usual");
}

// The most bits that the next token may surprise by. It starts at 2·tau, and each token turns it a
// little towards the target, by its surprise S = −log2 p in the model's own distribution:
//
//   mu ← mu − eta·(S − tau)
//
// Nothing is remembered: mu follows from ln p of each token generated so far. A token whose ln p is
// not known (NaN: it was forced, and the model not asked) turns nothing.
inline double mirostat_mu(std::span<const double> log_probabilities, double tau, double eta) {
    check_mirostat(tau, eta);
    double mu = 2 * tau;
    for (const double ln_p : log_probabilities)
        if (!std::isnan(ln_p)) mu -= eta * (-ln_p / ln_2 - tau);
    return mu;
}

// Keeps −log2 p_i <= mu; the largest always stay.
inline std::vector<float> mirostat(std::span<const float> s, double T, double mu) {
    return probable(s, T, -mu * ln_2, ln_sum(s, T));
}

}  // namespace tbt
