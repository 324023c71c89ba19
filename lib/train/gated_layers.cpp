#include "lib/train/gated_layers.hpp"

#include <cmath>

#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"
#include "lib/model/rotary.hpp"
#include "lib/train/lanes.hpp"

namespace tbt::train {

void rms_norm(const float* x, const float* gain, float epsilon, float* y, float* stats,
              std::int64_t M, std::int64_t C) {
    for (std::int64_t m = 0; m < M; ++m, x += C, y += C) {
        Lanes squares = Lanes::zero();
        for (std::int64_t c = 0; c < C; c += lanes) {
            const Lanes v = Lanes::load(x + c);
            squares = fma(v, v, squares);
        }
        const float r = 1.0f / std::sqrt(simd::sum(squares) / static_cast<float>(C) + epsilon);
        const Lanes rate = Lanes::all(r);
        for (std::int64_t c = 0; c < C; c += lanes)
            (Lanes::load(x + c) * rate * Lanes::load(gain + c)).store(y + c);
        stats[m] = r;
    }
}

// With x̂ = x · r and g = ∂y ∘ gain:   ∂x = r · (g − x̂ · mean(g ∘ x̂))
void rms_norm_backward(const float* x, const float* stats, const float* gain, const float* d_y,
                       float* d_x, float* d_gain, std::int64_t M, std::int64_t C) {
    for (std::int64_t m = 0; m < M; ++m, x += C, d_y += C, d_x += C) {
        const Lanes rate = Lanes::all(stats[m]);
        Lanes sum = Lanes::zero();
        for (std::int64_t c = 0; c < C; c += lanes) {
            const Lanes d = Lanes::load(d_y + c), normal = Lanes::load(x + c) * rate;
            sum = fma(d * Lanes::load(gain + c), normal, sum);
            fma(d, normal, Lanes::load(d_gain + c)).store(d_gain + c);
        }
        const Lanes mean = Lanes::all(simd::sum(sum) / static_cast<float>(C));
        for (std::int64_t c = 0; c < C; c += lanes) {
            const Lanes g = Lanes::load(d_y + c) * Lanes::load(gain + c),
                        normal = Lanes::load(x + c) * rate;
            fma(rate, g - normal * mean, Lanes::load(d_x + c)).store(d_x + c);
        }
    }
}

namespace {

// σ(x) = 1 / (1 + e^−x)
Lanes sigmoid(const Lanes& x) {
    const Lanes one = Lanes::all(1.0f);
    return one / (one + simd::exp(Lanes::zero() - x));
}

}  // namespace

void gate_silu(const float* x, float* y, std::int64_t M, std::int64_t F) {
    for (std::int64_t m = 0; m < M; ++m, x += 2 * F, y += F) {
        for (std::int64_t f = 0; f < F; f += lanes) {
            const Lanes gate = Lanes::load(x + f), up = Lanes::load(x + F + f);
            (gate * sigmoid(gate) * up).store(y + f);
        }
    }
}

// ∂up = ∂y · silu(g),   ∂g = ∂y · up · silu′(g),   silu′(g) = σ(g) (1 + g (1 − σ(g)))
void gate_silu_backward(const float* x, const float* d_y, float* d_x, std::int64_t M,
                        std::int64_t F) {
    const Lanes one = Lanes::all(1.0f);
    for (std::int64_t m = 0; m < M; ++m, x += 2 * F, d_x += 2 * F, d_y += F) {
        for (std::int64_t f = 0; f < F; f += lanes) {
            const Lanes gate = Lanes::load(x + f), up = Lanes::load(x + F + f),
                        d = Lanes::load(d_y + f), s = sigmoid(gate);
            (d * up * (s * fma(gate, one - s, one))).store(d_x + f);
            (d * (gate * s)).store(d_x + F + f);
        }
    }
}

RotaryTable::RotaryTable(const Rotary& rotary, int size, std::int64_t positions) : size_(size) {
    const std::vector<double> frequencies = rotary_frequencies(rotary, size);
    angles_.resize(index(positions * size));
    for (std::int64_t t = 0; t < positions; ++t)
        rotary_angles(frequencies, t, angles_.data() + t * size);
    angles_back_ = angles_;  // cos(−φ) = cos φ, sin(−φ) = −sin φ
    for (std::size_t i = 0; i < angles_.size(); ++i)
        if (i % index(size) >= index(size / 2)) angles_back_[i] = -angles_[i];
}

void RotaryTable::turn(float* qkv, const BatchShape& shape, bool backward) const {
    if (size_ == 0) return;
    const float* angles = (backward ? angles_back_ : angles_).data();
    // The heads of the queries, then those of the keys, side by side.
    const std::int64_t heads = shape.H + shape.kv_heads();
    for (std::int64_t m = 0; m < shape.B * shape.T; ++m)
        for (std::int64_t h = 0; h < heads; ++h)
            rotate(qkv + m * shape.row() + h * shape.D, size_, angles + m % shape.T * size_);
}

}  // namespace tbt::train
