// Draws a token from candidates. Searches block by block, then token by token. Chapter 03 defines
// the draw in plain code.
#pragma once

#include <cstdint>
#include <span>

#include "chapters/06_combining/candidates.hpp"
#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// The id of the token that u in [0, 1) selects; tokens are in the order of their ids. The same kept
// tokens and the same u always give the same token, whichever steps removed the others.
inline int draw(Candidates& c, double u) {
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
