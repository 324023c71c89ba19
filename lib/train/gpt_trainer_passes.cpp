#include "lib/train/gpt_trainer_passes.hpp"

#include <algorithm>

namespace tbt::train {
namespace {

// y += x
void add(const float* x, float* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
}

}  // namespace

void GptTrainer::forward(const Sequence& sequence, Workspace& w) const {
    const std::int64_t T = sequence.T, C = shape_.n_embd;
    const float* p = parameters_.get();
    embed(sequence.ids, p + wte_, p + wpe_, w.layers[0].x.get(), T, T, C);
    for (std::size_t l = 0; l < blocks_.size(); ++l) {
        const Block& b = blocks_[l];
        Workspace::Layer& a = w.layers[l];
        float* next = l + 1 < blocks_.size() ? w.layers[l + 1].x.get() : w.x_last.get();
        {
            const Timer timer(w.profile.forward);
            layer_norm(a.x.get(), p + b.ln_1_gain, p + b.ln_1_bias, a.ln_1.get(),
                       a.ln_1_stats.get(), T, C);
            b.qkv.forward(a.ln_1.get(), a.qkv.get(), T, p, w.left);
        }
        {
            const Timer timer(w.profile.attention);
            attention_forward(a.qkv.get(), a.attention.get(), a.attention_stats.get(),
                              attention_shape(T), w.scratch);
        }
        const Timer timer(w.profile.forward);
        b.attention_projection.forward(a.attention.get(), a.x_middle.get(), T, p, w.left);
        add(a.x.get(), a.x_middle.get(), T * C);
        layer_norm(a.x_middle.get(), p + b.ln_2_gain, p + b.ln_2_bias, a.ln_2.get(),
                   a.ln_2_stats.get(), T, C);
        b.fc.forward(a.ln_2.get(), a.fc.get(), T, p, w.left);
        gelu(a.fc.get(), a.gelu.get(), T * 4 * C);
        b.projection.forward(a.gelu.get(), next, T, p, w.left);
        add(a.x_middle.get(), next, T * C);
    }
    layer_norm(w.x_last.get(), p + ln_f_gain_, p + ln_f_bias_, w.ln_f.get(), w.ln_f_stats.get(), T,
               C);
}

void GptTrainer::logits(Workspace& w, std::int64_t t, std::int64_t n) const {
    const std::int64_t C = shape_.n_embd;
    table_.multiply(MatrixView::of(w.ln_f.get() + t * C, n, C), w.logits.get(), outputs_, w.left);
}

// A few rows at a time: logits = ln_f · wteᵀ, in place ∂logits = (p − onehot)
// · factor, then ∂ln_f = ∂logits · wte (into d_ln) and ∂wte += ∂logitsᵀ · ln_f.
// The whole matrix of logits never exists. gradients may be null. With a teacher of distribution q:
// p − q = (p − onehot) − (q − onehot).
void GptTrainer::head(const Sequence& sequence, Workspace& w, float factor, float* gradients,
                      Workspace* teacher) const {
    const Timer timer(w.profile.head);
    const std::int64_t C = shape_.n_embd, V = outputs_;
    for (std::int64_t t = 0; t < sequence.T; t += head_rows) {
        const std::int64_t n = std::min(head_rows, sequence.T - t);
        const MatrixView x = MatrixView::of(w.ln_f.get() + t * C, n, C);
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
        table_transposed_.multiply(d_logits, w.d_ln.get() + t * C, C, w.left);
        w.packed.reserve(n, C, precision_);
        w.packed.pack(x, Worker{});
        w.packed.multiply(d_logits.transposed(), gradients + wte_, C, w.left, {nullptr, true});
    }
}

// d_x is the gradient of the residual stream, on its way from the last layer to the embedding.
void GptTrainer::backward(const Sequence& sequence, Workspace& w, float* gradients) const {
    const std::int64_t T = sequence.T, C = shape_.n_embd;
    std::fill_n(w.d_x.get(), T * C, 0.0f);
    layer_norm_backward(w.x_last.get(), w.ln_f_stats.get(), parameters_.get() + ln_f_gain_,
                        w.d_ln.get(), w.d_x.get(), gradients + ln_f_gain_, gradients + ln_f_bias_,
                        T, C);
    for (std::size_t l = blocks_.size(); l-- > 0;) backward_block(l, T, w, gradients);
    embed_backward(sequence.ids, w.d_x.get(), gradients + wte_, gradients + wpe_, T, T, C);
}

// The forward pass from bottom to top. Residual sums pass d_x on unchanged,
// so what comes through the layer norms is added to it.
void GptTrainer::backward_block(std::size_t l, std::int64_t T, Workspace& w,
                                float* gradients) const {
    const std::int64_t C = shape_.n_embd;
    const float* p = parameters_.get();
    const Block& b = blocks_[l];
    Workspace::Layer& a = w.layers[l];
    float *d_x = w.d_x.get(), *d_ln = w.d_ln.get(), *d_wide = w.d_wide.get(),
          *d_attention = w.d_attention.get();
    {
        const Timer timer(w.profile.backward);
        b.projection.backward_input(d_x, d_wide, T, w.left);
        gelu_backward(a.fc.get(), d_wide, T * 4 * C);
        b.fc.backward_input(d_wide, d_ln, T, w.left);
    }
    {
        const Timer timer(w.profile.weights);
        b.projection.backward_weights(a.gelu.get(), d_x, T, w.packed, w.left, gradients);
        b.fc.backward_weights(a.ln_2.get(), d_wide, T, w.packed, w.left, gradients);
    }
    {
        const Timer timer(w.profile.backward);
        layer_norm_backward(a.x_middle.get(), a.ln_2_stats.get(), p + b.ln_2_gain, d_ln, d_x,
                            gradients + b.ln_2_gain, gradients + b.ln_2_bias, T, C);
        b.attention_projection.backward_input(d_x, d_attention, T, w.left);
    }
    {
        const Timer timer(w.profile.attention_backward);
        attention_backward(a.qkv.get(), a.attention.get(), a.attention_stats.get(), d_attention,
                           d_wide, attention_shape(T), w.scratch);
    }
    {
        const Timer timer(w.profile.weights);
        b.attention_projection.backward_weights(a.attention.get(), d_x, T, w.packed, w.left,
                                                gradients);
        b.qkv.backward_weights(a.ln_1.get(), d_wide, T, w.packed, w.left, gradients);
    }
    const Timer timer(w.profile.backward);
    b.qkv.backward_input(d_wide, d_ln, T, w.left);
    layer_norm_backward(a.x.get(), a.ln_1_stats.get(), p + b.ln_1_gain, d_ln, d_x,
                        gradients + b.ln_1_gain, gradients + b.ln_1_bias, T, C);
}

}  // namespace tbt::train
