// Rotary position embedding (RoPE), and the norm of queries and keys: all that is done to them
// before attention.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/machine/threads.hpp"
#include "lib/model/attention.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// The frequencies f_i for i < size / 2, in radians per position, scaled as `rotary` says. `size` is
// the number of components of a head that are rotated. Throws Error if it is odd or below 2, or if
// θ or one of the factors is not a positive number. With longrope, `context` decides between the
// two lists of factors.
std::vector<double> rotary_frequencies(const Rotary& rotary, int size, int context = 0);

// The cosines and sines of position · f_i, times `amplitude`. With n frequencies, out has 2n
// floats: n cosines, then n sines. They are computed with our own sine (trigonometry.hpp), so every
// machine gets the same bits.
void rotary_angles(std::span<const double> frequencies, std::int64_t position, float* out,
                   double amplitude = 1);

// Rotates the pairs (x_i, x_{i + r/2}) of one head, i < r/2, r = size, by the angles that
// rotary_angles() computed [Su et al. 2021, with the pairs as in the hub's files]:
//   x_i ← x_i · cos − x_{i + r/2} · sin,   x_{i + r/2} ← x_{i + r/2} · cos + x_i · sin
void rotate(float* x, int size, const float* angles);

// What a layer does to its queries and keys before attention. A null pointer leaves out the step.
struct QueryKeyStep {
    const float *query_norm = nullptr, *key_norm = nullptr;  // (D), γ of the RMS norm of each head
    float epsilon = 0.0f;
    const float* angles = nullptr;  // (R, size): rotary_angles() of each row's position
    int size = 0;                   // the number of components of a head that are rotated
};

// Norms and rotates the queries and keys in qkv (R, (H + 2K) · D), in place.
// Every thread of a team calls this. Each does the rows and heads that it also does in
// append_keys_and_values() and attend() (attention.hpp), so no sync is needed between these calls.
void norm_and_rotate(float* qkv, std::span<const SequenceRows> sequences,
                     const AttentionShape& shape, const QueryKeyStep& step, const Worker& worker);

}  // namespace tbt
