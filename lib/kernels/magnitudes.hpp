// The smallest and the largest magnitude |x| among the numbers of a row.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tbt {

// The smallest |x| that is not 0, and the largest |x|. Both are 0 if all x are 0. NaN counts as
// larger than every number.
struct Magnitudes {
    float smallest = 0, largest = 0;
};

// The magnitudes of the n numbers x[0], x[step], …
inline Magnitudes magnitudes_of(const float* x, std::int64_t step, std::int64_t n) {
    // The bits of floats without a sign, as integers, have the order of the floats. For 0, bits − 1
    // wraps around to the largest integer, so a 0 is never the smallest.
    std::uint32_t smallest = ~std::uint32_t{0}, largest = 0;
    const auto take = [&](float value) {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) & 0x7fffffff;
        smallest = std::min(smallest, bits - 1), largest = std::max(largest, bits);
    };
    if (step == 1)  // a separate loop, which the compiler vectorises
        for (std::int64_t i = 0; i < n; ++i) take(x[i]);
    else
        for (std::int64_t i = 0; i < n; ++i) take(x[i * step]);
    return {std::bit_cast<float>(smallest + 1), std::bit_cast<float>(largest)};
}

}  // namespace tbt
