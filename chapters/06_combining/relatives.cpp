#include "chapters/06_combining/relatives.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "chapters/05_top_p/further/plain_typical.hpp"
#include "chapters/05_top_p/plain_relatives.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"
#include "lib/select/select.hpp"

namespace tbt {

void keep_from(Candidates& c, double lowest) {
    if (std::isnan(lowest))
        throw Error("chain: the threshold on the logits is NaN, expected a number");
    // The smallest float that is not below `lowest`.
    float threshold = static_cast<float>(
        std::max(lowest, -static_cast<double>(std::numeric_limits<float>::max())));
    if (static_cast<double>(threshold) < lowest)
        threshold = std::nextafter(threshold, std::numeric_limits<float>::infinity());
    c.keep({std::min(threshold, c.largest())});
}

void keep_min_p(Candidates& c, double m) {
    check_min_p(m);
    if (m > 0) keep_from(c, static_cast<double>(c.largest()) + c.temperature() * portable_log(m));
}

void keep_typical(Candidates& c, double m, Ties ties) {
    check_typical_p(m);
    if (m == 1) return;
    const double centre =
        static_cast<double>(c.largest()) - c.temperature() * (c.entropy() - c.log_sum());
    const std::span<float> keys = c.room_for_keys();  // the nearest has the largest key
    negative_distances(c.logits(), centre, keys);
    const std::uint64_t W = c.total_weight();
    Cut cut = smallest_prefix_reaching(keys, c.weights(), W, share_of(W, m));
    if (ties == Ties::keep_all) cut.ties = c.size();
    c.keep_by(keys, cut);
}

void keep_probable(Candidates& c, double least) {
    double lowest =
        static_cast<double>(c.largest()) + c.temperature() * (portable_log(least) + c.log_sum());
    // Tokens that tie with the last one of min_tokens_to_keep stay too, as in transformers.
    if (c.least() > 1)
        lowest = std::min(
            lowest, static_cast<double>(kth_largest(c.logits(), std::min(c.least(), c.size()))));
    keep_from(c, lowest);
}

void cut_epsilon(Candidates& c, double epsilon) {
    check_cutoff("epsilon-cutoff", epsilon);
    if (epsilon > 0) keep_probable(c, epsilon);
}

void cut_eta(Candidates& c, double epsilon) {
    check_cutoff("eta-cutoff", epsilon);
    if (epsilon > 0)
        keep_probable(c, std::min(epsilon, std::sqrt(epsilon) * portable_exp(-c.entropy())));
}

}  // namespace tbt
