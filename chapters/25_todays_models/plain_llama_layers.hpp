// The parts in which a Llama differs from a GPT-2, on rows of numbers: a norm without a mean,
// positions as rotations, and another activation.
#pragma once

#include <cmath>

#include "chapters/18_transformer/plain_layers.hpp"
#include "lib/core/math.hpp"
#include "lib/model/trigonometry.hpp"

namespace tbt {

// x / √(mean of x² + ε) · γ: a length, no mean. [Zhang & Sennrich 2019]
inline Row rms_norm(const Row& x, const Row& gamma, float epsilon) {
    const float inverse_c = 1.0f / static_cast<float>(x.size());
    const float mean_square = sum_of(x, [](float v) { return v * v; }) * inverse_c;
    const float scale = 1.0f / std::sqrt(mean_square + epsilon);
    Row y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = (x[i] * scale) * gamma[i];
    return y;
}

// Turns components i and i + D/2 of the head that begins at `first` by the angle
// position · θ^(−2i/D). [Su et al. 2021]
inline void rotate(Row& x, std::size_t first, std::size_t D, double position, double theta) {
    for (std::size_t i = 0; i < D / 2; ++i) {
        const double slow = portable_exp(-2.0 * static_cast<double>(i) / static_cast<double>(D) *
                                         portable_log(theta));
        const auto c = static_cast<float>(portable_cos(position * slow)),
                   s = static_cast<float>(portable_sin(position * slow));
        const float a = x[first + i], b = x[first + i + D / 2];
        x[first + i] = a * c - b * s;
        x[first + i + D / 2] = b * c + a * s;
    }
}

// Nearly 0 for x far below 0, nearly x far above. [Hendrycks & Gimpel 2016]
inline float silu(float x) { return x / (1.0f + portable_expf(0.0f - x)); }

}  // namespace tbt
