// The relatives of top-p, cuts by a token's own probability. Chapter 06 has the fast versions.
#pragma once

#include <cmath>

#include "chapters/05_top_p/plain_top_p.hpp"
#include "lib/core/math.hpp"

namespace tbt {

// Keeps p_i >= e^ln_threshold; the largest always stay. No logarithm of a p_i is needed:
//
//   ln p_i = (s_i − max s)/T − ln_normalizer >= ln_threshold
//     ⇔  s_i >= max s + T·(ln_threshold + ln_normalizer)
inline std::vector<float> keep_above(std::span<const float> s, double T, double ln_threshold,
                                     double ln_normalizer) {
    check_row(s);
    const double largest = *std::max_element(s.begin(), s.end());
    std::vector<float> kept(s.size(), masked);
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] == largest || s[i] >= largest + T * (ln_threshold + ln_normalizer)) kept[i] = s[i];
    }
    return kept;
}

// p_i >= m·p_max [Nguyen et al. 2024]: the largest has probability e^−ln_sum.
inline std::vector<float> min_p(std::span<const float> s, double T, double m) {
    check_min_p(m), check_temperature(T), check_row(s);
    return keep_above(s, T, portable_log(m), 0);
}

// p_i >= ε [Hewitt, Manning & Liang 2022, §4.1]
inline std::vector<float> cut_epsilon(std::span<const float> s, double T, double epsilon) {
    check_cutoff("epsilon-cutoff", epsilon);
    return keep_above(s, T, portable_log(epsilon), ln_sum(s, T));
}

// p_i >= min(ε, √ε·e^(−H)): where much is possible (H large), less probable ones stay [ibid., §4.2]
inline std::vector<float> cut_eta(std::span<const float> s, double T, double epsilon) {
    check_cutoff("eta-cutoff", epsilon);
    const double eta = std::min(epsilon, std::sqrt(epsilon) * portable_exp(-entropy_at(s, T)));
    return keep_above(s, T, portable_log(eta), ln_sum(s, T));
}

}  // namespace tbt
