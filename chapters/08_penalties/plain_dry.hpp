// DRY, "don't repeat yourself" [p-e-w 2024], plainly: the longer the repeated passage that a token
// would continue, the higher its penalty; short passages have none. The fast version in
// penalties.hpp is compared with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "chapters/08_penalties/checks.hpp"

namespace tbt {

struct Dry {
    double multiplier = 0;  // 0: off
    double base = 1.75;
    int allowed = 2;            // passages shorter than this are free
    std::vector<int> breakers;  // tokens that end a passage, and are never penalized
};

inline void check_dry(const Dry& dry) {
    check_penalty("dry-multiplier", dry.multiplier);
    if (!(dry.base >= 1 && dry.base <= 1e9))
        throw UsageError("dry-base: got " + short_number(dry.base) +
                         ", expected a number >= 1; 1.75 is usual");
    check_at_least("dry-allowed-length", dry.allowed, 1);
}

// The penalty of a token that would continue a repeated passage of `length` tokens.
inline double dry_penalty(const Dry& dry, int length) {
    double penalty = dry.multiplier;
    for (int l = dry.allowed; l < length && std::abs(penalty) < 1e30; ++l) penalty *= dry.base;
    return length < dry.allowed ? 0 : std::clamp(penalty, -1e30, 1e30);
}

// L(t) = the length of the longest match that t would continue. For each earlier i with text_i = t:
// how many tokens before i equal the last tokens of the text, one by one, up to a breaker.
//
//   s_t ← s_t − multiplier·base^(L(t) − allowed)  where L(t) >= allowed
inline void plain_dry(std::vector<float>& s, const std::vector<int>& text, const Dry& dry) {
    check_dry(dry), check_ids("dry", text, s.size());
    const auto breaks = [&](int id) {
        return std::count(dry.breakers.begin(), dry.breakers.end(), id) > 0;
    };
    std::vector<int> longest(s.size());
    for (auto place = text.begin(); place != text.end(); ++place) {
        auto before = place, end = text.end();
        while (before != text.begin() && *(before - 1) == *(end - 1) && !breaks(*(end - 1)))
            --before, --end;
        int& l = longest[static_cast<std::size_t>(*place)];
        l = std::max(l, static_cast<int>(place - before));
    }
    for (std::size_t t = 0; t < s.size(); ++t)
        if (!breaks(static_cast<int>(t)))
            s[t] = static_cast<float>(s[t] - dry_penalty(dry, longest[t]));
}

}  // namespace tbt
