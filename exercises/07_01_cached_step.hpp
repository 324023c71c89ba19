// Exercise 07_01: what one step costs, with a cache and without.
//
// A position is read when its keys and values are computed. Token i of a text (from 0) looks at
// itself and all before it: i + 1 keys, and each such look is a dot product.
//
// A model has read `past` tokens; now come `fresh` new ones after them. With a cache only the
// fresh ones are read, and they look at all keys, old and new. Without a cache all past + fresh
// tokens are read, and each looks at itself and all before it.
//
// Example: past = 3, fresh = 2. With: 2 positions, and 4 + 5 = 9 dot products. Without:
// 5 positions and 1 + 2 + 3 + 4 + 5 = 15.
//
// past and fresh may be a hundred million: no loop. (1 + 2 + … + n = n(n + 1)/2.)
// One below 0 is an Error.
//
// Write two functions, about 3 lines each. Check: make check EX=07_01
#pragma once

#include <cstdint>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex07_01 {

struct Cost {
    std::int64_t positions = 0, dot_products = 0;
};

inline Cost with_cache([[maybe_unused]] std::int64_t past, [[maybe_unused]] std::int64_t fresh) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline Cost without_cache([[maybe_unused]] std::int64_t past, [[maybe_unused]] std::int64_t fresh) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex07_01
