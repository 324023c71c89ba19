#include "lib/train/trainer_passes.hpp"

#include <algorithm>

namespace tbt::train {
namespace {

// y += x
void add(const float* x, float* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
}

}  // namespace

void Trainer::norm(const NormOffsets& n, const float* x, float* y, float* stats,
                   std::int64_t T) const {
    const float* p = parameters_.get();
    if (shape_.architecture.norm == Norm::rms)
        rms_norm(x, p + n.gain, shape_.layer_norm_epsilon, y, stats, T, shape_.n_embd);
    else layer_norm(x, p + n.gain, p + n.bias, y, stats, T, shape_.n_embd);
}

void Trainer::norm_backward(const NormOffsets& n, const float* x, const float* stats,
                            const float* d_y, float* d_x, float* gradients, std::int64_t T) const {
    const float* gain = parameters_.get() + n.gain;
    if (shape_.architecture.norm == Norm::rms)
        rms_norm_backward(x, stats, gain, d_y, d_x, gradients + n.gain, T, shape_.n_embd);
    else
        layer_norm_backward(x, stats, gain, d_y, d_x, gradients + n.gain, gradients + n.bias, T,
                            shape_.n_embd);
}

void Trainer::forward(const Sequence& sequence, Workspace& w) const {
    const std::int64_t T = sequence.T, C = shape_.n_embd, F = shape_.n_inner;
    const BatchShape attention = attention_shape(T);
    const float* p = parameters_.get();
    embed(sequence.ids, p + weights_.embedding,
          weights_.positions < 0 ? nullptr : p + weights_.positions, w.layers[0].x.get(), T, T, C);
    for (std::size_t l = 0; l < weights_.blocks.size(); ++l) {
        const BlockWeights& b = weights_.blocks[l];
        Workspace::Layer& a = w.layers[l];
        float* next = l + 1 < weights_.blocks.size() ? w.layers[l + 1].x.get() : w.x_last.get();
        {
            const Timer timer(w.profile.forward);
            norm(b.norm_1, a.x.get(), a.normed_1.get(), a.stats_1.get(), T);
            b.qkv.forward(a.normed_1.get(), a.qkv.get(), T, p);
        }
        {
            const Timer timer(w.profile.attention);
            rotary_.turn(a.qkv.get(), attention, false);
            attention_forward(a.qkv.get(), a.attention.get(), a.attention_stats.get(), attention,
                              w.scratch);
        }
        const Timer timer(w.profile.forward);
        b.attention_projection.forward(a.attention.get(), a.x_middle.get(), T, p);
        add(a.x.get(), a.x_middle.get(), T * C);
        norm(b.norm_2, a.x_middle.get(), a.normed_2.get(), a.stats_2.get(), T);
        b.up.forward(a.normed_2.get(), a.up.get(), T, p);
        if (shape_.architecture.gated) gate_silu(a.up.get(), a.inner.get(), T, F);
        else gelu(a.up.get(), a.inner.get(), T * F);
        b.down.forward(a.inner.get(), next, T, p);
        add(a.x_middle.get(), next, T * C);
    }
    norm(weights_.last_norm, w.x_last.get(), w.normed.get(), w.stats.get(), T);
}

void Trainer::logits(Workspace& w, std::int64_t t, std::int64_t n) const {
    const std::int64_t C = shape_.n_embd;
    matmul(MatrixView::of(w.normed.get() + t * C, n, C), head_, w.logits.get(), outputs_, {},
           Worker{});
}

// For head_rows rows at a time: logits = normed · headᵀ, in place ∂logits = (p − onehot) · factor,
// then ∂normed = ∂logits · head and ∂head += ∂logitsᵀ · normed. So the whole matrix of logits never
// exists. `gradients` may be null. With a teacher's distribution q, the gradient is
// p − q = (p − onehot) − (q − onehot).
void Trainer::head(const Sequence& sequence, Workspace& w, float factor, float* gradients,
                   Workspace* teacher) const {
    const Timer timer(w.profile.head);
    const std::int64_t C = shape_.n_embd, V = outputs_;
    for (std::int64_t t = 0; t < sequence.T; t += head_rows) {
        const std::int64_t n = std::min(head_rows, sequence.T - t);
        const MatrixView x = MatrixView::of(w.normed.get() + t * C, n, C);
        const MatrixView d_logits = MatrixView::of(w.logits.get(), n, V);
        logits(w, t, n);
        cross_entropy(w.logits.get(), sequence.targets + t, sequence.losses + t, n, V, factor,
                      gradients != nullptr);
        if (!gradients) continue;
        if (teacher) {
            teacher_->logits(*teacher, t, n);
            cross_entropy(teacher->logits.get(), sequence.targets + t, teacher->losses.data(), n, V,
                          factor, true);
            const float* theirs = teacher->logits.get();
            for (std::int64_t i = 0; i < n * V; ++i) w.logits.get()[i] -= theirs[i];
        }
        matmul(d_logits, head_transposed_, w.d_normed.get() + t * C, C, {}, Worker{});
        w.packed.reserve(n, C);
        w.packed.pack(x, Worker{});
        matmul(d_logits.transposed(), w.packed, gradients + weights_.head, C, {.accumulate = true},
               Worker{});
    }
}

// d_x is the gradient of the residual stream, from the last layer back to the embedding.
void Trainer::backward(const Sequence& sequence, Workspace& w, float* gradients) const {
    const std::int64_t T = sequence.T, C = shape_.n_embd;
    std::fill_n(w.d_x.get(), T * C, 0.0f);
    norm_backward(weights_.last_norm, w.x_last.get(), w.stats.get(), w.d_normed.get(), w.d_x.get(),
                  gradients, T);
    for (std::size_t l = weights_.blocks.size(); l-- > 0;) backward_block(l, T, w, gradients);
    embed_backward(sequence.ids, w.d_x.get(), gradients + weights_.embedding,
                   weights_.positions < 0 ? nullptr : gradients + weights_.positions, T, T, C);
}

// The steps of the forward pass in reverse order. A residual sum passes d_x on unchanged, and the
// gradient through the norm of its branch is added to it.
void Trainer::backward_block(std::size_t l, std::int64_t T, Workspace& w, float* gradients) const {
    const std::int64_t F = shape_.n_inner;
    const bool gated = shape_.architecture.gated;
    const BlockWeights& b = weights_.blocks[l];
    Workspace::Layer& a = w.layers[l];
    float *d_x = w.d_x.get(), *d_normed = w.d_normed.get(), *d_wide = w.d_wide.get(),
          *d_attention = w.d_attention.get();
    {
        const Timer timer(w.profile.backward);
        float* d_inner = gated ? w.d_inner.get() : d_wide;
        b.down.backward_input(d_x, d_inner, T);
        if (gated) gate_silu_backward(a.up.get(), d_inner, d_wide, T, F);
        else gelu_backward(a.up.get(), d_wide, T * F);
        b.up.backward_input(d_wide, d_normed, T);
    }
    {
        const Timer timer(w.profile.weights);
        b.down.backward_weights(a.inner.get(), d_x, T, w.packed, gradients);
        b.up.backward_weights(a.normed_2.get(), d_wide, T, w.packed, gradients);
    }
    {
        const Timer timer(w.profile.backward);
        norm_backward(b.norm_2, a.x_middle.get(), a.stats_2.get(), d_normed, d_x, gradients, T);
        b.attention_projection.backward_input(d_x, d_attention, T);
    }
    {
        const Timer timer(w.profile.attention_backward);
        const BatchShape attention = attention_shape(T);
        attention_backward(a.qkv.get(), a.attention.get(), a.attention_stats.get(), d_attention,
                           d_wide, attention, w.scratch);
        rotary_.turn(d_wide, attention, true);
    }
    {
        const Timer timer(w.profile.weights);
        b.attention_projection.backward_weights(a.attention.get(), d_x, T, w.packed, gradients);
        b.qkv.backward_weights(a.normed_1.get(), d_wide, T, w.packed, gradients);
    }
    const Timer timer(w.profile.backward);
    b.qkv.backward_input(d_wide, d_normed, T);
    norm_backward(b.norm_1, a.x.get(), a.stats_1.get(), d_normed, d_x, gradients, T);
}

}  // namespace tbt::train
