// Bidirectional attention: each position sees the whole sequence, later positions too. Defined in
// attention.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "lib/model/attention.hpp"

namespace tbt {

// As attend() (attention.hpp), but the sum over u includes all positions of the sequence for every
// row t. If the threads divide the (sequence, head of keys) pairs as for append_keys_and_values(),
// they need not sync between that call and this one.
void attend_bidirectional(const float* qkv, std::span<const SequenceRows> sequences,
                          const AttentionShape& shape, int layer, float* out, float* scratch,
                          const Worker& worker);

}  // namespace tbt
