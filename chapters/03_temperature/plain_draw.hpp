// The draw: like a spin of a roulette wheel. This is the definition; the fast version in chapter 06
// gives the same tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chapters/03_temperature/plain_temperature.hpp"
#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// The first token, in the order of ids, with P(id or lower) > u.
//
// The weights are W notches in a row, and u in [0, 1) points at notch ⌊u·W⌋. A masked token has
// no notch, so no u reaches it; the last notch is W − 1, so no u runs off the end.
inline int draw(std::span<const float> s, double T, double u) {
    if (!(u >= 0 && u < 1))
        throw Error("draw: u is " + short_number(u) + ", expected a number in [0, 1)");
    const std::vector<std::uint64_t> w = integer_weights(s, T);
    auto notch = static_cast<std::uint64_t>(u * static_cast<double>(total(w)));
    std::size_t i = 0;
    while (notch >= w[i]) notch -= w[i++];
    return static_cast<int>(i);
}

}  // namespace tbt
