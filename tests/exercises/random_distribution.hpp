// A distribution for random cases of exercises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/core/rng.hpp"

namespace tbt {

// V probabilities, none very small; where one of zero_in cannot come, that many are 0, never all.
inline std::vector<double> random_distribution(Rng& rng, std::size_t V, std::uint64_t zero_in = 0) {
    std::vector<double> p(V);
    double sum = 0;
    for (double& x : p)
        sum += x = zero_in > 0 && rng.below(zero_in) == 0 ? 0 : 0.02 + rng.uniform();
    if (!(sum > 0)) sum = p[rng.below(V)] = 1;
    for (double& x : p) x /= sum;
    return p;
}

}  // namespace tbt
