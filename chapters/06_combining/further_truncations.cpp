#include "chapters/06_combining/further_truncations.hpp"

#include <algorithm>
#include <functional>

#include "chapters/03_temperature/further/plain_dynamic_temperature.hpp"
#include "chapters/04_top_k/further/plain_top_n_sigma.hpp"
#include "chapters/05_top_p/further/plain_xtc.hpp"
#include "chapters/06_combining/plain_mirostat.hpp"
#include "chapters/06_combining/plain_mirostat_1.hpp"
#include "chapters/06_combining/relatives.hpp"
#include "chapters/06_combining/temperature.hpp"
#include "chapters/06_combining/top_k.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

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
    if (last < c.size()) c.keep_by(keys, {0});
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
    const double shift = static_cast<double>(c.largest()) + c.temperature() * c.log_sum();
    for (std::size_t i = 0; i < c.size(); ++i) {
        float& logit = *c.find(c.id(i));
        logit = static_cast<float>(static_cast<double>(logit) - shift);
    }
}

void keep_unsurprising(Candidates& c, double mu) {
    keep_from(c, static_cast<double>(c.largest()) + c.temperature() * (-mu * ln_2 + c.log_sum()));
}

}  // namespace tbt
