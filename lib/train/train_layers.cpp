#include "lib/train/train_layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/simd.hpp"
#include "lib/train/lanes.hpp"

namespace tbt::train {
namespace {

constexpr float layer_norm_epsilon = 1e-5f;

}  // namespace

void embed(const std::int32_t* ids, const float* token_table, const float* position_table, float* x,
           std::int64_t M, std::int64_t T, std::int64_t C) {
    for (std::int64_t m = 0; m < M; ++m) {
        const float* token = token_table + ids[m] * C;
        if (!position_table) {
            std::copy_n(token, C, x + m * C);
            continue;
        }
        const float* position = position_table + m % T * C;
        for (std::int64_t c = 0; c < C; ++c) x[m * C + c] = token[c] + position[c];
    }
}

void embed_backward(const std::int32_t* ids, const float* d_x, float* d_token_table,
                    float* d_position_table, std::int64_t M, std::int64_t T, std::int64_t C) {
    for (std::int64_t m = 0; m < M; ++m) {
        float* token = d_token_table + ids[m] * C;
        for (std::int64_t c = 0; c < C; ++c) token[c] += d_x[m * C + c];
        if (!d_position_table) continue;
        float* position = d_position_table + m % T * C;
        for (std::int64_t c = 0; c < C; ++c) position[c] += d_x[m * C + c];
    }
}

void layer_norm(const float* x, const float* gain, const float* bias, float* y, float* stats,
                std::int64_t M, std::int64_t C) {
    for (std::int64_t m = 0; m < M; ++m) {
        const float* in = x + m * C;
        Lanes sum = Lanes::zero();
        for (std::int64_t c = 0; c < C; c += lanes) sum = sum + Lanes::load(in + c);
        const float mean = simd::sum(sum) / static_cast<float>(C);
        const Lanes centre = Lanes::all(mean);
        Lanes squares = Lanes::zero();
        for (std::int64_t c = 0; c < C; c += lanes) {
            const Lanes d = Lanes::load(in + c) - centre;
            squares = fma(d, d, squares);
        }
        const float r =
            1.0f / std::sqrt(simd::sum(squares) / static_cast<float>(C) + layer_norm_epsilon);
        const Lanes rate = Lanes::all(r);
        for (std::int64_t c = 0; c < C; c += lanes) {
            const Lanes normal = (Lanes::load(in + c) - centre) * rate;
            fma(normal, Lanes::load(gain + c), Lanes::load(bias + c)).store(y + m * C + c);
        }
        stats[2 * m] = mean;
        stats[2 * m + 1] = r;
    }
}

// With x̂ = (x − mean) · r and g = ∂y ∘ gain:   ∂x = r · (g − mean(g) − x̂ · mean(g ∘ x̂))
void layer_norm_backward(const float* x, const float* stats, const float* gain, const float* d_y,
                         float* d_x, float* d_gain, float* d_bias, std::int64_t M, std::int64_t C) {
    for (std::int64_t m = 0; m < M; ++m, x += C, d_y += C, d_x += C) {
        const Lanes centre = Lanes::all(stats[2 * m]), rate = Lanes::all(stats[2 * m + 1]);
        const auto normal = [&](std::int64_t c) { return (Lanes::load(x + c) - centre) * rate; };
        Lanes sum_g = Lanes::zero(), sum_gx = Lanes::zero();
        for (std::int64_t c = 0; c < C; c += lanes) {
            const Lanes d = Lanes::load(d_y + c), g = d * Lanes::load(gain + c);
            sum_g = sum_g + g;
            sum_gx = fma(g, normal(c), sum_gx);
            fma(d, normal(c), Lanes::load(d_gain + c)).store(d_gain + c);
            (Lanes::load(d_bias + c) + d).store(d_bias + c);
        }
        const Lanes mean_g = Lanes::all(simd::sum(sum_g) / static_cast<float>(C));
        const Lanes mean_gx = Lanes::all(simd::sum(sum_gx) / static_cast<float>(C));
        for (std::int64_t c = 0; c < C; c += lanes) {
            const Lanes g = Lanes::load(d_y + c) * Lanes::load(gain + c);
            fma(rate, g - mean_g - normal(c) * mean_gx, Lanes::load(d_x + c)).store(d_x + c);
        }
    }
}

namespace {

constexpr float root_2_over_pi = 0.7978845608028654f;
constexpr float cubic = 0.044715f;

// tanh(√(2/π) (x + 0.044715 x³)) = tanh(√(2/π) · x · (1 + 0.044715 x²))
Lanes gelu_tanh_part(const Lanes& x, const Lanes& square) {
    return simd::tanh(Lanes::all(root_2_over_pi) * x *
                      fma(Lanes::all(cubic), square, Lanes::all(1.0f)));
}

}  // namespace

void gelu(const float* x, float* y, std::int64_t n) {
    const Lanes half = Lanes::all(0.5f);
    for (std::int64_t i = 0; i < n; i += lanes) {
        const Lanes v = Lanes::load(x + i), t = gelu_tanh_part(v, v * v), half_v = half * v;
        fma(half_v, t, half_v).store(y + i);
    }
}

// gelu′(x) = ½ (1 + t) + ½ x (1 − t²) √(2/π) (1 + 3 · 0.044715 x²)
void gelu_backward(const float* x, float* d_y, std::int64_t n) {
    const Lanes half = Lanes::all(0.5f), one = Lanes::all(1.0f), root = Lanes::all(root_2_over_pi),
                three = Lanes::all(3.0f * cubic);
    for (std::int64_t i = 0; i < n; i += lanes) {
        const Lanes v = Lanes::load(x + i), square = v * v, t = gelu_tanh_part(v, square);
        const Lanes slope = (one - t * t) * root * fma(three, square, one);
        const Lanes derivative = half * fma(v, slope, one + t);
        (Lanes::load(d_y + i) * derivative).store(d_y + i);
    }
}

Linear::Linear(std::int64_t w_offset, std::int64_t b_offset, std::int64_t k, std::int64_t n,
               MatrixOrder order)
    : w_(w_offset), b_(b_offset), k_(k), n_(n), order_(order) {
    packed_.reserve(k, n);
    packed_transposed_.reserve(n, k);
}

void Linear::pack(const float* parameters, const Worker& worker) {
    const MatrixView w = order_ == MatrixOrder::inputs_outputs
                             ? MatrixView::of(parameters + w_, k_, n_)
                             : MatrixView::of(parameters + w_, n_, k_).transposed();
    packed_.pack(w, worker);
    packed_transposed_.pack(w.transposed(), worker);
}

void Linear::forward(const float* x, float* y, std::int64_t M, const float* parameters) const {
    const float* bias = b_ == no_bias ? nullptr : parameters + b_;
    matmul(MatrixView::of(x, M, k_), packed_, y, n_, {bias}, Worker{});
}

void Linear::backward_input(const float* d_y, float* d_x, std::int64_t M) const {
    matmul(MatrixView::of(d_y, M, n_), packed_transposed_, d_x, k_, {}, Worker{});
}

void Linear::backward_weights(const float* x, const float* d_y, std::int64_t M,
                              PackedMatrix& packed, float* gradients) const {
    // For a matrix (N, K), exchange the two factors: ∂wᵀ += ∂yᵀ · x.
    MatrixView left = MatrixView::of(x, M, k_), right = MatrixView::of(d_y, M, n_);
    if (order_ == MatrixOrder::outputs_inputs) std::swap(left, right);
    packed.reserve(M, right.columns);
    packed.pack(right, Worker{});
    matmul(left.transposed(), packed, gradients + w_, right.columns, {.accumulate = true},
           Worker{});
    if (b_ == no_bias) return;
    float* d_b = gradients + b_;
    for (std::int64_t m = 0; m < M; ++m) {
        for (std::int64_t n = 0; n < n_; n += lanes) {
            (Lanes::load(d_b + n) + Lanes::load(d_y + m * n_ + n)).store(d_b + n);
        }
    }
}

void cross_entropy(float* logits, const std::int32_t* targets, double* losses, std::int64_t M,
                   std::int64_t V, float factor, bool gradient) {
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    for (std::int64_t m = 0; m < M; ++m) {
        float* row = logits + m * V;
        if (targets[m] < 0) {
            losses[m] = 0;
            if (gradient) std::fill_n(row, V, 0.0f);
            continue;
        }
        const std::int64_t whole = V / lanes * lanes;
        const int rest = to_int(V - whole);
        Lanes most = rest > 0 ? Lanes::load_first(row + whole, rest, lowest) : Lanes::all(lowest);
        for (std::int64_t v = 0; v < whole; v += lanes) most = max(most, Lanes::load(row + v));
        const float maximum = simd::largest(most), at_target = row[targets[m]];
        const Lanes shift = Lanes::all(maximum);
        Lanes sum = Lanes::zero();
        for (std::int64_t v = 0; v < whole; v += lanes) {
            const Lanes e = simd::exp(Lanes::load(row + v) - shift);
            e.store(row + v);
            sum = sum + e;
        }
        if (rest > 0) {
            const Lanes e = simd::exp(Lanes::load_first(row + whole, rest, lowest) - shift);
            e.store_first(row + whole, rest);
            sum = sum + e;
        }
        const float total = simd::sum(sum);
        losses[m] = portable_log(static_cast<double>(total)) + static_cast<double>(maximum) -
                    static_cast<double>(at_target);
        if (!gradient) continue;
        const float scale = factor / total;
        for (std::int64_t v = 0; v < V; ++v) row[v] *= scale;
        row[targets[m]] -= factor;
    }
}

}  // namespace tbt::train
