// The draw on candidates: block by block, then token by token. Chapter 03 defines it in plain code.
#pragma once

#include <cstdint>
#include <span>

#include "chapters/06_combining/candidates.hpp"
#include "lib/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// The token that u in [0, 1) points at, in the order of the ids: the same kept tokens and the same
// u give the same token, whichever way they were cut.
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
    std::size_t i = block * weight_block;
    const std::span<const std::uint64_t> w = c.weights();
    while (notch >= w[i]) notch -= w[i++];
    return c.id(i);
}

}  // namespace tbt
