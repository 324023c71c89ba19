// Exercise 11_01: beam search.
//
// A beam is a text and the sum of ln p of its generated tokens. Begin with one, the prompt (sum 0),
// and repeat, n times or until no beam is live:
//
//     1. extend every live beam by every token. A token with ln p = −∞ makes no beam.
//     2. keep the B with the greatest sums; of equal ones those of the earlier beam, and of one
//        beam the lower id.
//     3. of these, the ones that end in eos are finished: they leave and are never extended.
//        The others are live, in the same order.
//
// After the n-th token the live beams are finished too. The result is all finished beams, the
// greatest sum first; of equal sums the one finished earlier. With n = 0 that is the prompt.
//
// Example: token 0 has .6 and 1 has .4; after 0 both have .5, after 1 they have .1 and .9. One
// beam, n = 2, finds 0 0 with .3; two beams find 1 1 with .36 and 0 0 with .3.
//
// Write one function, about 18 lines. Check: make check EX=11_01
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex11_01 {

using LogDistribution =
    std::function<std::vector<double>(const std::vector<int>& ids)>;  // ln p of each

struct Beam {
    std::vector<int> ids;  // prompt and generated
    double sum = 0;
};

// B and n are at least 1 and 0.
inline std::vector<Beam> beam_search([[maybe_unused]] const LogDistribution& distribution,
                                     [[maybe_unused]] const std::vector<int>& prompt,
                                     [[maybe_unused]] std::size_t B, [[maybe_unused]] int n,
                                     [[maybe_unused]] int eos) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex11_01
