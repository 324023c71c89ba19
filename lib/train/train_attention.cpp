#include "lib/train/train_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"
#include "lib/train/block_multiply.hpp"
#include "lib/train/lanes.hpp"

namespace tbt::train {
namespace {

constexpr std::int64_t block_rows =
    64;  // queries at a time: their scores (64, ≤ T) stay in the L2 cache

std::int64_t round_up(std::int64_t n) { return (n + lanes - 1) / lanes * lanes; }

// Copies one head from rows that are `row` floats apart to a contiguous (T, Dp), times `factor`.
void gather(const float* from, std::int64_t row, std::int64_t T, std::int64_t D, std::int64_t Dp,
            float factor, float* to) {
    for (std::int64_t t = 0; t < T; ++t) {
        for (std::int64_t d = 0; d < D; ++d) to[t * Dp + d] = from[t * row + d] * factor;
    }
}

void scatter(const float* from, std::int64_t Dp, std::int64_t T, std::int64_t D, float factor,
             float* to, std::int64_t row) {
    for (std::int64_t t = 0; t < T; ++t) {
        for (std::int64_t d = 0; d < D; ++d) to[t * row + d] = from[t * Dp + d] * factor;
    }
}

void transpose(const float* from, std::int64_t T, std::int64_t Dp, float* to, std::int64_t stride) {
    for (std::int64_t t0 = 0; t0 < T; t0 += lanes) {
        const std::int64_t t1 = std::min(T, t0 + lanes);
        for (std::int64_t d = 0; d < Dp; ++d) {
            for (std::int64_t t = t0; t < t1; ++t) to[d * stride + t] = from[t * Dp + d];
        }
    }
}

// In place: s_k → exp(s_k − max) for the first `seen` keys, and 0 for the others up to n.
void exponentials(float* s, std::int64_t seen, std::int64_t n, float maximum) {
    const std::int64_t end = round_up(seen);
    std::fill(s + seen, s + end, -std::numeric_limits<float>::infinity());
    std::fill(s + end, s + n, 0.0f);
    const Lanes shift = Lanes::all(maximum);
    for (std::int64_t k = 0; k < end; k += lanes)
        simd::exp(Lanes::load(s + k) - shift).store(s + k);
}

float largest(const float* s, std::int64_t count) {
    Lanes m = Lanes::all(-std::numeric_limits<float>::infinity());
    std::int64_t k = 0;
    for (; k + lanes <= count; k += lanes) m = max(m, Lanes::load(s + k));
    if (k < count) {
        m = max(m, Lanes::load_first(s + k, to_int(count - k),
                                     -std::numeric_limits<float>::infinity()));
    }
    return simd::largest(m);
}

float total(const float* s, std::int64_t n) {
    Lanes sum = Lanes::zero();
    for (std::int64_t k = 0; k < n; k += lanes) sum = sum + Lanes::load(s + k);
    return simd::sum(sum);
}

float dot(const float* a, const float* b, std::int64_t n) {
    Lanes sum = Lanes::zero();
    for (std::int64_t k = 0; k < n; k += lanes)
        sum = fma(Lanes::load(a + k), Lanes::load(b + k), sum);
    return simd::sum(sum);
}

}  // namespace

void AttentionScratch::prepare(std::int64_t T, std::int64_t D) {
    if (T == T_ && D == D_) return;
    T_ = T;
    D_ = D;
    Tp = round_up(T);
    Dp = round_up(D);
    stride = Tp + lanes;  // not a power of two: its rows would all map to the same cache sets
    for (AlignedFloats* rows : {&q, &k, &v, &d_out, &d_q, &d_k, &d_v}) {
        *rows = allocate_floats(Tp * Dp);
        std::fill_n(rows->get(), Tp * Dp, 0.0f);
    }
    for (AlignedFloats* columns : {&k_columns, &v_columns}) {
        *columns = allocate_floats(Dp * stride);
        std::fill_n(columns->get(), Dp * stride, 0.0f);
    }
    scores = allocate_floats(block_rows * stride);
    d_scores = allocate_floats(block_rows * stride);
}

namespace {

// Pointers to head h of sequence b in qkv, or to its gradient in d_qkv.
template <class Float>
struct HeadPlaces {
    HeadPlaces(Float* qkv, const BatchShape& shape, std::int64_t b, std::int64_t h) {
        const std::int64_t first = b * shape.T * shape.row(), kv_size = shape.kv_heads() * shape.D;
        q = qkv + first + h * shape.D;
        k = qkv + first + shape.H * shape.D + h / shape.group() * shape.D;
        v = k + kv_size;
    }
    Float *q, *k, *v;
};

}  // namespace

void attention_forward(const float* qkv, float* out, float* stats, const BatchShape& shape,
                       AttentionScratch& s) {
    const std::int64_t B = shape.B, T = shape.T, H = shape.H, D = shape.D, Q = H * D,
                       row = shape.row();
    s.prepare(T, D);
    for (std::int64_t pair = 0; pair < B * H; ++pair) {
        const std::int64_t b = pair / H, h = pair % H;
        const HeadPlaces head(qkv, shape, b, h);
        gather(head.q, row, T, D, s.Dp, 1.0f / std::sqrt(static_cast<float>(D)), s.q.get());
        if (h % shape.group() == 0) {
            gather(head.k, row, T, D, s.Dp, 1.0f, s.k.get());
            gather(head.v, row, T, D, s.Dp, 1.0f, s.v.get());
            transpose(s.k.get(), T, s.Dp, s.k_columns.get(), s.stride);
        }
        for (std::int64_t t0 = 0; t0 < T; t0 += block_rows) {
            const std::int64_t t1 = std::min(T, t0 + block_rows),
                               keys = round_up(shape.keys_of(t1 - 1));
            // scores = q · kᵀ / √D
            multiply({t1 - t0, keys, s.Dp, s.q.get() + t0 * s.Dp, s.Dp, 1, s.k_columns.get(),
                      s.stride, s.scores.get(), s.stride});
            for (std::int64_t t = t0; t < t1; ++t) {
                float* p = s.scores.get() + (t - t0) * s.stride;
                const std::int64_t seen = shape.keys_of(t);
                const float maximum = largest(p, seen);
                exponentials(p, seen, keys, maximum);
                const float inverse = 1.0f / total(p, round_up(seen));
                for (std::int64_t k = 0; k < seen; k += lanes)
                    (Lanes::load(p + k) * Lanes::all(inverse)).store(p + k);
                float* kept = stats + (pair * T + t) * 2;
                kept[0] = maximum;
                kept[1] = inverse;
            }
            // out = p · v
            multiply({t1 - t0, s.Dp, shape.keys_of(t1 - 1), s.scores.get(), s.stride, 1, s.v.get(),
                      s.Dp, s.d_q.get(), s.Dp});
            scatter(s.d_q.get(), s.Dp, t1 - t0, D, 1.0f, out + (b * T + t0) * Q + h * D, Q);
        }
    }
}

// With p = softmax(s), s = q̂ kᵀ, q̂ = q / √D, out = p v, and g = ∂L/∂out:
//     ∂v = pᵀ g        ∂p = g vᵀ        ∂s = p ∘ (∂p − Σ_k p ∂p) = p ∘ (∂p − g · out)
//     ∂q̂ = ∂s k        ∂k = ∂sᵀ q̂
void attention_backward(const float* qkv, const float* out, const float* stats, const float* d_out,
                        float* d_qkv, const BatchShape& shape, AttentionScratch& s) {
    const std::int64_t B = shape.B, T = shape.T, H = shape.H, D = shape.D, Q = H * D,
                       row = shape.row();
    s.prepare(T, D);
    const float scale = 1.0f / std::sqrt(static_cast<float>(D));
    for (std::int64_t pair = 0; pair < B * H; ++pair) {
        const std::int64_t b = pair / H, h = pair % H;
        const HeadPlaces head(qkv, shape, b, h);
        gather(head.q, row, T, D, s.Dp, scale, s.q.get());
        gather(d_out + b * T * Q + h * D, Q, T, D, s.Dp, 1.0f, s.d_out.get());
        gather(out + b * T * Q + h * D, Q, T, D, s.Dp, 1.0f, s.d_q.get());
        if (h % shape.group() == 0) {
            gather(head.k, row, T, D, s.Dp, 1.0f, s.k.get());
            gather(head.v, row, T, D, s.Dp, 1.0f, s.v.get());
            transpose(s.k.get(), T, s.Dp, s.k_columns.get(), s.stride);
            transpose(s.v.get(), T, s.Dp, s.v_columns.get(), s.stride);
            std::fill_n(s.d_k.get(), s.Tp * s.Dp, 0.0f);
            std::fill_n(s.d_v.get(), s.Tp * s.Dp, 0.0f);
        }
        for (std::int64_t t0 = 0; t0 < T; t0 += block_rows) {
            const std::int64_t t1 = std::min(T, t0 + block_rows), rows = t1 - t0,
                               seen = shape.keys_of(t1 - 1), keys = round_up(seen);
            float* p = s.scores.get();
            float* dp = s.d_scores.get();
            multiply({rows, keys, s.Dp, s.q.get() + t0 * s.Dp, s.Dp, 1, s.k_columns.get(), s.stride,
                      p, s.stride});
            multiply({rows, keys, s.Dp, s.d_out.get() + t0 * s.Dp, s.Dp, 1, s.v_columns.get(),
                      s.stride, dp, s.stride});
            for (std::int64_t t = t0; t < t1; ++t) {
                float* p_row = p + (t - t0) * s.stride;
                float* dp_row = dp + (t - t0) * s.stride;
                const float* kept = stats + (pair * T + t) * 2;
                exponentials(p_row, shape.keys_of(t), keys, kept[0]);
                const Lanes inverse = Lanes::all(kept[1]);
                const Lanes mean =
                    Lanes::all(dot(s.d_out.get() + t * s.Dp, s.d_q.get() + t * s.Dp, s.Dp));
                for (std::int64_t k = 0; k < keys; k += lanes) {
                    const Lanes weight = Lanes::load(p_row + k) * inverse;
                    weight.store(p_row + k);
                    (weight * (Lanes::load(dp_row + k) - mean)).store(dp_row + k);
                }
            }
            multiply({seen, s.Dp, rows, p, 1, s.stride, s.d_out.get() + t0 * s.Dp, s.Dp,
                      s.d_v.get(), s.Dp, true});
            multiply({seen, s.Dp, rows, dp, 1, s.stride, s.q.get() + t0 * s.Dp, s.Dp, s.d_k.get(),
                      s.Dp, true});
            // These rows are not needed any more, so ∂q̂ is stored in their place.
            multiply({rows, s.Dp, seen, dp, s.stride, 1, s.k.get(), s.Dp, s.d_q.get() + t0 * s.Dp,
                      s.Dp});
        }
        const HeadPlaces d_head(d_qkv, shape, b, h);
        scatter(s.d_q.get(), s.Dp, T, D, scale, d_head.q, row);
        // After the last query head of a group, its keys' and values' gradients are complete.
        if ((h + 1) % shape.group() == 0) {
            scatter(s.d_k.get(), s.Dp, T, D, 1.0f, d_head.k, row);
            scatter(s.d_v.get(), s.Dp, T, D, 1.0f, d_head.v, row);
        }
    }
}

}  // namespace tbt::train
