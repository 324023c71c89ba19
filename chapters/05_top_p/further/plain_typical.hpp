// Typical sampling: a nucleus by surprise instead of probability. The definition that the fast
// version in chapter 06 is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "chapters/05_top_p/plain_top_p.hpp"
#include "lib/core/check.hpp"

namespace tbt {

// Tokens by descending key until they hold a share of W; the others are masked. With the logits as
// keys this is top-p.
inline std::vector<float> shortest_prefix(std::span<const float> s, double T,
                                          std::span<const float> keys, double share,
                                          Ties ties = Ties::exact) {
    check_size("shortest prefix: keys", keys.size(), s.size());
    const std::vector<std::uint64_t> w = integer_weights(s, T);
    const std::uint64_t enough = std::max<std::uint64_t>(share_of(total(w), share), 1);
    std::vector<float> kept(s.size(), masked);
    std::uint64_t sum = 0;
    float last = 0;
    for (const std::size_t id : sorted_descending(keys)) {
        if (sum >= enough && !(ties == Ties::keep_all && keys[id] == last)) break;
        kept[id] = s[id];
        sum += w[id];
        last = keys[id];
    }
    return kept;
}

// Keeps the tokens whose surprise −ln p_i is nearest to H, the surprise expected on average, until
// their mass is m; of equally near ones the lower ids, or all [Meister et al. 2023, §3].
//
//   |−ln p_i − H|·T = |s_i − centre|,  centre = max s + T·(ln_sum − H)
inline std::vector<float> typical(std::span<const float> s, double T, double m,
                                  Ties ties = Ties::exact) {
    check_typical_p(m), check_row(s);
    const double centre =
        *std::max_element(s.begin(), s.end()) + T * (ln_sum(s, T) - entropy_at(s, T));
    std::vector<float> nearness;
    for (const float s_i : s) nearness.push_back(static_cast<float>(-std::abs(s_i - centre)));
    return m == 1 ? std::vector(s.begin(), s.end()) : shortest_prefix(s, T, nearness, m, ties);
}

}  // namespace tbt
