// Rotary positions, and what else happens to queries and keys before they meet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/machine/threads.hpp"
#include "lib/model/architecture.hpp"
#include "lib/model/attention.hpp"

namespace tbt {

// f_i for i < size / 2, in radians a position, scaled as `rotary` says.
// Throws Error for a size that is odd or no size, and a θ or factors that are no positive numbers.
std::vector<double> rotary_frequencies(const Rotary& rotary, int size);

// Cosines and sines of position · f_i: out (2 · F) holds F cosines, then F sines. With our own sine
// (math.hpp), so that every machine rotates by the same bits.
void rotary_angles(std::span<const double> frequencies, std::int64_t position, float* out);

// Turns the pairs (x_i, x_{i + r/2}) of one head by these angles, i < r/2, r = size [Su et al.
// 2021, in the split form of the hub's files]
//   x_i ← x_i · cos − x_{i + r/2} · sin,   x_{i + r/2} ← x_{i + r/2} · cos + x_i · sin
void rotate(float* x, int size, const float* angles);

// What is done with the queries and keys of a layer. Null: nothing.
struct QueryKeyStep {
    const float *query_norm = nullptr, *key_norm = nullptr;  // (D): RMS norm of each head
    float epsilon = 0.0f;
    const float* angles = nullptr;  // (R, size): those of each row's position
    int size = 0;
};

// Norms and rotates the queries and keys in qkv (R, (H + 2K) · D), in place.
// Called by every thread of a team; each does the share that it then appends and attends with
// (attention.hpp), so that no sync is needed between these.
void norm_and_rotate(float* qkv, std::span<const SequenceRows> sequences,
                     const AttentionShape& shape, const QueryKeyStep& step, const Worker& worker);

}  // namespace tbt
