// The draw: a wheel with one segment for each candidate, as wide as its probability.
#pragma once

#include <cstdint>
#include <string>

#include "chapters/03_temperature/candidates.hpp"
#include "lib/error.hpp"

namespace tbt {

// The inverse of the distribution function: the first candidate, in the order of ids,
// with P(id or lower) > u.
//
// The wheel has W = Σ w_i equal notches, candidate i holds w_i of them, one after the other by id,
// and u in [0, 1) points at notch ⌊u·W⌋. A masked token holds no notch, so no u reaches it;
// the last notch is W − 1, so no u runs off the end. The order is that of the ids,
// not of the probabilities: the same kept tokens and the same u give the same token,
// whichever way they were cut.
inline int draw(Candidates& c, double u) {
    if (!(u >= 0 && u < 1))
        throw Error("draw: u is " + short_number(u) + ", expected a number in [0, 1)");
    const std::uint64_t W = c.total_weight();
    // u is at most 1 − 2^-53, which is more than any rounding of W or u·W: the notch is below W.
    auto notch = static_cast<std::uint64_t>(u * static_cast<double>(W));
    // First by blocks, then by candidates.
    std::size_t block = 0;
    const std::span<const std::uint64_t> of_block = c.block_weights();
    while (notch >= of_block[block]) notch -= of_block[block++];
    std::size_t i = block * quanta_block;
    const std::span<const std::uint64_t> w = c.weights();
    while (notch >= w[i]) notch -= w[i++];
    return c.id(i);
}

}  // namespace tbt
