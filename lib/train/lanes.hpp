// The number of lanes of a vector of floats as a 64-bit integer, the type of sizes in training.
#pragma once

#include <cstdint>

#include "lib/core/simd.hpp"

namespace tbt::train {

using simd::Lanes;
inline constexpr std::int64_t lanes = simd::lane_count;

}  // namespace tbt::train
