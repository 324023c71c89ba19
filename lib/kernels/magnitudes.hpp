// How large and how small the numbers of a row are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tbt {

// Of |x|: the smallest that is not 0, and the largest; 0 and 0 where all are 0. A NaN is largest.
struct Magnitudes {
    float smallest = 0, largest = 0;
};

// Of x[0], x[step], …, n of them.
inline Magnitudes magnitudes_of(const float* x, std::int64_t step, std::int64_t n) {
    // As whole numbers the bits of floats without a sign are ordered as the floats are. A 0 less 1
    // is the largest of all.
    std::uint32_t smallest = ~std::uint32_t{0}, largest = 0;
    const auto take = [&](float value) {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) & 0x7fffffff;
        smallest = std::min(smallest, bits - 1), largest = std::max(largest, bits);
    };
    if (step == 1)  // by itself, so that it is computed in vectors
        for (std::int64_t i = 0; i < n; ++i) take(x[i]);
    else
        for (std::int64_t i = 0; i < n; ++i) take(x[i * step]);
    return {std::bit_cast<float>(smallest + 1), std::bit_cast<float>(largest)};
}

}  // namespace tbt
