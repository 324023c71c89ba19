// The lanes of a vector of floats, as training counts in them.
#pragma once

#include <cstdint>

#include "lib/kernels/simd.hpp"

namespace tbt::train {

using simd::Lanes;
inline constexpr std::int64_t lanes = simd::lane_count;

}  // namespace tbt::train
