// Attention that looks at the whole sequence, at what comes after too. Defined in attention.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "lib/model/attention.hpp"

namespace tbt {

// As attend (attention.hpp), but u runs over all positions of the sequence, whatever the position
// of t: each row gets what attend gives to the last one. The caller's threads sync between
// append_keys_and_values and this only if they share the pairs in another way.
void attend_both_ways(const float* qkv, std::span<const SequenceRows> sequences,
                      const AttentionShape& shape, int layer, float* out, float* scratch,
                      const Worker& worker);

}  // namespace tbt
