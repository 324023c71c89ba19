// Temperature: the definition. The fast version in chapter 06 gives the same, bit for bit.
// A row s has a logit for each of the V tokens, −∞ for one that cannot be chosen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "chapters/03_temperature/further/checks.hpp"
#include "lib/core/math.hpp"
#include "lib/select/integer_weights.hpp"

namespace tbt {

// w_i = e^((s_i − max s)/T) [Ackley, Hinton & Sejnowski 1985], as integers: how many times 2^-44.
// T < 1 sharpens, T > 1 flattens; as T goes to 0, all weight goes to the largest logit.
// Integers, like money counted in cents, have the same sum in any order.
inline std::vector<std::uint64_t> integer_weights(std::span<const float> s, double T) {
    check_temperature(T), check_row(s);
    const auto best = static_cast<std::size_t>(std::max_element(s.begin(), s.end()) - s.begin());
    std::vector<std::uint64_t> w(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double gap = static_cast<double>(s[i]) - s[best];
        w[i] = T > 0 ? integer_exp(gap, T) : i == best ? weight_of_largest : 0;
    }
    return w;
}

inline std::uint64_t total(const std::vector<std::uint64_t>& w) {
    return std::accumulate(w.begin(), w.end(), std::uint64_t{0});
}

// p_i = w_i / W, the softmax of s/T.
inline std::vector<double> softmax_at(std::span<const float> s, double T) {
    const std::vector<std::uint64_t> w = integer_weights(s, T);
    const auto W = static_cast<double>(total(w));
    std::vector<double> p;
    for (const std::uint64_t w_i : w) p.push_back(static_cast<double>(w_i) / W);
    return p;
}

// ln Σ_j e^((s_j − max s)/T), so that ln p_i = (s_i − max s)/T − ln_sum.
inline double ln_sum(std::span<const float> s, double T) {
    return portable_log(
        std::ldexp(static_cast<double>(total(integer_weights(s, T))), -weight_bits));
}

// Entropy H = −Σ p_i ln p_i, in nats: how undecided the distribution is.
inline double entropy_at(std::span<const float> s, double T) {
    const std::vector<double> p = softmax_at(s, T);
    const double largest = *std::max_element(s.begin(), s.end());
    double H = ln_sum(s, T);
    for (std::size_t i = 0; i < s.size(); ++i)
        if (p[i] > 0 && s[i] < largest) H += p[i] * (largest - s[i]) / T;
    return H;
}

}  // namespace tbt
