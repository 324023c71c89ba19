// Relatives of top-p: cuts by a token's own probability, or by how surprising it would be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "chapters/03_temperature/candidates.hpp"
#include "chapters/04_top_k/top_k.hpp"
#include "chapters/05_top_p/top_p.hpp"
#include "lib/error.hpp"
#include "lib/kernels/math.hpp"
#include "lib/kernels/scan.hpp"

namespace tbt {

// Throws UsageError unless the value lies in [0, 1], in (0, 1], in [0, 1).
inline void check_min_p(double m) {
    if (m >= 0 && m <= 1) return;
    throw UsageError("min-p: got " + short_number(m) +
                     ", expected a fraction from 0 to 1 of the largest probability; 0 turns it "
                     "off, 0.05 is usual");
}
inline void check_typical_p(double m) {
    if (m > 0 && m <= 1) return;
    throw UsageError("typical-p: got " + short_number(m) +
                     ", expected a probability above 0 and up to 1; 1 turns it off, 0.9 is usual");
}
inline void check_cutoff(const std::string& name, double epsilon) {
    if (epsilon >= 0 && epsilon < 1) return;
    throw UsageError(
        name + ": got " + short_number(epsilon) +
        ", expected a probability from 0 to below 1; 0 turns it off, 0.0003 to 0.004 is usual");
}

// Keeps the logits from `lowest` on; the largest always stays.
inline void keep_from(Candidates& c, double lowest) {
    // The smallest float that is not below it.
    float threshold = static_cast<float>(
        std::max(lowest, -static_cast<double>(std::numeric_limits<float>::max())));
    if (static_cast<double>(threshold) < lowest)
        threshold = std::nextafter(threshold, std::numeric_limits<float>::infinity());
    c.keep({std::min(threshold, c.largest())});
}

// Keeps p_i >= m·p_max [Nguyen et al. 2024]. A quotient of probabilities is a difference of logits,
// so no exponential is needed:
//
//   e^(s_i/T) >= m·e^(s_max/T)  ⇔  s_i >= s_max + T·ln m
inline void keep_min_p(Candidates& c, double m) {
    check_min_p(m);
    if (m > 0) keep_from(c, static_cast<double>(c.largest()) + c.temperature() * portable_log(m));
}

// Keeps the tokens whose surprise −ln p_i is nearest to the entropy H, the surprise
// expected on average, until their mass is at least m; of equally near ones the lower ids,
// or all [Meister et al. 2023, §3]. It may remove the most probable token.
//
//   |−ln p_i − H| = |s_i − centre|/T with centre = s_max − T·(H − ln Σ_j e^((s_j − s_max)/T))
inline void keep_typical(Candidates& c, double m, Ties ties = Ties::exact) {
    check_typical_p(m);
    if (m == 1) return;
    const double centre =
        static_cast<double>(c.largest()) - c.temperature() * (c.entropy() - c.log_sum());
    thread_local std::vector<float> room;
    if (room.size() < c.size()) room.resize(c.size());
    const std::span<float> keys(room.data(), c.size());  // the nearest has the largest key
    negative_distances(c.logits(), centre, keys);
    Cut cut = smallest_prefix(keys, c.weights(), c.total_weight(), quanta(c, m));
    if (ties == Ties::kept) cut.ties = c.size();
    c.keep_by(keys, cut);
}

// Keeps p_i >= least, a threshold on the logits again:
//
//   ln p_i = (s_i − s_max)/T − ln Σ_j e^((s_j − s_max)/T) >= ln least
inline void keep_probable(Candidates& c, double least) {
    keep_from(c, static_cast<double>(c.largest()) +
                     c.temperature() * (portable_log(least) + c.log_sum()));
}

// Drops p_i < ε [Hewitt, Manning & Liang 2022, §4.1]
inline void cut_epsilon(Candidates& c, double epsilon) {
    check_cutoff("epsilon-cutoff", epsilon);
    if (epsilon > 0) keep_probable(c, epsilon);
}

// Drops p_i < min(ε, √ε·e^(−H)): where many tokens are possible (H large),
// less probable ones stay [ibid., §4.2]
inline void cut_eta(Candidates& c, double epsilon) {
    check_cutoff("eta-cutoff", epsilon);
    if (epsilon > 0)
        keep_probable(c, std::min(epsilon, std::sqrt(epsilon) * portable_exp(-c.entropy())));
}

}  // namespace tbt
