#include "chapters/06_combining/steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "chapters/03_temperature/further/plain_dynamic_temperature.hpp"
#include "chapters/04_top_k/further/plain_top_n_sigma.hpp"
#include "chapters/05_top_p/further/plain_typical.hpp"
#include "chapters/05_top_p/further/plain_xtc.hpp"
#include "chapters/05_top_p/plain_relatives.hpp"
#include "chapters/06_combining/plain_mirostat.hpp"
#include "chapters/06_combining/plain_mirostat_1.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"
#include "lib/select/select.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

void apply_temperature(Candidates& c, double T) {
    check_temperature(T);
    if (T == 0) {
        c.keep_at_least(1);  // no truncation: a minimum of tokens does not apply
        c.keep({c.largest(), 1});
    } else {
        c.multiply_temperature(T);
    }
}

void keep_top_k(Candidates& c, int k, Ties ties) {
    check_top_k(k);
    // min_tokens_to_keep raises k, as in transformers, where ties at the k-th place stay too.
    const std::size_t wanted = std::max(index(k), c.least());
    if (k == 0 || wanted >= c.size()) return;
    // 1. A threshold that at least k tokens reach and few others do: one look at the row,
    //    no sorting.
    c.keep({c.reached_by(wanted)});
    // 2. Among the few that are left, the k-th largest.
    const std::span<const float> s = c.logits();
    Cut cut{kth_largest(s, wanted)};
    const auto greater =
        std::count_if(s.begin(), s.end(), [&](float v) { return v > cut.threshold; });
    if (ties == Ties::exact) cut.ties = wanted - index(greater);
    c.keep(cut);
}

void keep_top_p(Candidates& c, double p) {
    check_top_p(p);
    if (p == 1) return;
    const std::uint64_t W = c.total_weight();
    c.keep(smallest_prefix_reaching(c.logits(), c.weights(), W, share_of(W, p)));
}

// ---- relatives of top-p ----

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

// ---- less common steps ----

void apply_dynamic_temperature(Candidates& c, double T, double range, double exponent) {
    apply_temperature(c, dynamic_temperature(c.entropy(), c.count(), T, range, exponent));
}

void keep_top_n_sigma(Candidates& c, double N) {
    check_top_n_sigma(N);
    if (N > 0) c.largest(), keep_from(c, top_n_sigma_border(c.logits(), N));
}

double coin(std::uint64_t seed, std::span<const int> ids) {
    std::uint64_t mixed = SplitMix64(seed).next();
    for (const int id : ids) mixed = SplitMix64(mixed + static_cast<std::uint64_t>(id)).next();
    return Rng(mixed).uniform();
}

void exclude_top_choices(Candidates& c, double probability, double threshold, double u) {
    check_xtc(probability, threshold);
    if (u >= probability) return;
    const auto good = [&](std::size_t i) {
        return c.logits()[i] != masked && c.probability(i) >= threshold;
    };
    std::size_t last = c.size();
    for (std::size_t i = 0; i < c.size(); ++i) {
        if (good(i) && (last == c.size() || c.logits()[i] <= c.logits()[last])) last = i;
    }
    const std::span<float> keys = c.room_for_keys();
    for (std::size_t i = 0; i < c.size(); ++i) keys[i] = good(i) && i != last ? -1.0f : 1.0f;
    const auto excluded = index(std::count(keys.begin(), keys.end(), -1.0f));
    if (excluded > 0 && c.count() >= excluded + c.least()) c.keep_by(keys, {0});
}

void keep_zipf_top_k(Candidates& c, double mu) {
    c.largest();  // throws if the row is not a row of logits
    const std::span<float> keys = c.room_for_keys();
    const std::span<const float> s = c.logits();
    const auto end = std::partial_sort_copy(
        s.begin(), s.end(), keys.begin(),
        keys.begin() + static_cast<std::ptrdiff_t>(std::min(s.size(), mirostat_looks_at)),
        std::greater<>());
    keep_top_k(c, mirostat_k({keys.begin(), end}, c.count(), c.temperature(), mu));
}

void renormalize(Candidates& c) {
    const double shift = static_cast<double>(c.largest()) / c.temperature() + c.log_sum();
    for (std::size_t i = 0; i < c.size(); ++i) {
        float& logit = *c.find(c.id(i));  // s_i/T, and T is 1 from here on
        logit = static_cast<float>(static_cast<double>(logit) - shift);
    }
}

void keep_unsurprising(Candidates& c, double mu) {
    keep_from(c, static_cast<double>(c.largest()) + c.temperature() * (-mu * ln_2 + c.log_sum()));
}

// ---- the draw ----

int draw(Candidates& c, double u) {
    if (!(u >= 0 && u < 1))
        throw Error("draw: u is " + short_number(u) + ", expected a number in [0, 1)");
    const std::uint64_t W = c.total_weight();
    // u is at most 1 − 2^-53, which is more than any rounding of W or u·W: the notch is below W.
    auto notch = static_cast<std::uint64_t>(u * static_cast<double>(W));
    // Finds the block first, then the candidate.
    std::size_t block = 0;
    const std::span<const std::uint64_t> of_block = c.block_weights();
    while (notch >= of_block[block]) notch -= of_block[block++];
    std::size_t i = block * weight_block;
    const std::span<const std::uint64_t> w = c.weights();
    while (notch >= w[i]) notch -= w[i++];
    return c.id(i);
}

}  // namespace tbt
