// The way back through a GPT, and its head, where forward and backward meet.
#include <algorithm>

#include "gpt_trainer_parts.hpp"

namespace tbt::train {

// A few rows at a time: logits = ln_f · wteᵀ, in place ∂logits = (p − onehot) / count, then ∂ln_f = ∂logits ·
// wte and ∂wte += ∂logitsᵀ · ln_f. The whole matrix of logits never exists.
void GptTrainer::head(const std::int32_t* targets, double* losses, std::int64_t M, float factor,
                      bool gradient, const Worker& worker) {
    const Timer timer(profile.head, worker);
    const std::int64_t C = shape_.channels, V = shape_.vocabulary;
    Activations& a = *a_;
    float* d_wte = gradients_.get() + layout_["wte.weight"].offset;
    for (std::int64_t m = 0; m < M; m += head_rows) {
        const std::int64_t n = std::min(head_rows, M - m);
        PackedMatrix& packed = n == head_rows ? a.packed_ln_f : a.packed_ln_f_rest;
        const Range rows = worker.share(n);
        float* mine = a.logits.get() + rows.begin * V;
        const std::int64_t count = rows.end - rows.begin;
        matmul(MatrixView::of(a.ln_f.get() + (m + rows.begin) * C, count, C), table_, mine, V, {}, Worker{});
        cross_entropy_rows(a.logits.get(), V, targets + m, losses + m, V, factor, gradient, rows);
        if (!gradient) continue;
        matmul(MatrixView::of(mine, count, V), table_transposed_, a.d_ln.get() + (m + rows.begin) * C, C, {},
               Worker{});
        packed.pack(MatrixView::of(a.ln_f.get() + m * C, n, C), worker);
        worker.sync();
        const Range words = worker.share(V, 16);
        matmul({a.logits.get() + words.begin, words.end - words.begin, n, 1, V}, packed,
               d_wte + words.begin * C, C, {nullptr, true}, Worker{});
        worker.sync();
    }
}

void GptTrainer::backward(const std::int32_t* ids, std::int64_t B, std::int64_t T, const Worker& worker) {
    const std::int64_t M = B * T, C = shape_.channels;
    const Range rows = worker.share(M, 16);
    Activations& a = *a_;
    const auto gradient = [this](const char* name) { return gradients_.get() + layout_[name].offset; };
    std::fill(a.d_x.get() + rows.begin * C, a.d_x.get() + rows.end * C, 0.0f);
    layer_norm_backward_rows(a.x_last.get(), a.ln_f_stats.get(),
                             parameters_.get() + layout_["ln_f.weight"].offset, a.d_ln.get(), a.d_x.get(), C,
                             rows);
    layer_norm_backward_columns(a.x_last.get(), a.ln_f_stats.get(), a.d_ln.get(), gradient("ln_f.weight"),
                                gradient("ln_f.bias"), M, C, worker);
    worker.sync();
    for (std::size_t l = blocks_.size(); l-- > 0;) backward_block(l, B, T, worker);
    embedding_backward_columns(ids, a.d_x.get(), gradient("wte.weight"), gradient("wpe.weight"), M, T, C,
                               worker);
}

// d_x comes in as the gradient of the block's output and leaves as that of its input. What a thread writes
// for its own rows (…_rows) is read by others only after a sync.
void GptTrainer::backward_block(std::size_t l, std::int64_t B, std::int64_t T, const Worker& worker) {
    const std::int64_t M = B * T, C = shape_.channels;
    const Range rows = worker.share(M, 16);
    Activations& a = *a_;
    Block& b = blocks_[l];
    {
        const Timer timer(profile.backward, worker);
        b.projection.backward_rows(a.d_x.get(), a.d_wide.get(), rows);
        gelu_backward(b.fc_out.get() + rows.begin * 4 * C, a.d_wide.get() + rows.begin * 4 * C,
                      (rows.end - rows.begin) * 4 * C);
        b.fc.backward_rows(a.d_wide.get(), a.d_ln.get(), rows);
        worker.sync();
    }
    {
        const Timer timer(profile.weights, worker);
        b.projection.backward_columns(b.gelu_out.get(), a.d_x.get(), M, a.packed_c, worker);
        b.fc.backward_columns(b.ln_2.get(), a.d_wide.get(), M, a.packed_4c, worker);
    }
    {
        const Timer timer(profile.backward, worker);
        layer_norm_backward_rows(b.x_middle.get(), b.ln_2_stats.get(), b.ln_2_gain, a.d_ln.get(), a.d_x.get(),
                                 C, rows);
        layer_norm_backward_columns(b.x_middle.get(), b.ln_2_stats.get(), a.d_ln.get(), b.d_ln_2_gain,
                                    b.d_ln_2_bias, M, C, worker);
        b.attention_projection.backward_rows(a.d_x.get(), a.d_attention.get(), rows);
        worker.sync();
    }
    {
        const Timer timer(profile.weights, worker);
        b.attention_projection.backward_columns(b.attention_out.get(), a.d_x.get(), M, a.packed_c, worker);
    }
    {
        const Timer timer(profile.attention_backward, worker);
        attention_backward(b.qkv_out.get(), b.attention_out.get(), b.attention_stats.get(),
                           a.d_attention.get(), a.d_wide.get(), {B, T, shape_.heads, C / shape_.heads},
                           scratch_[static_cast<std::size_t>(worker.rank)], worker);
        worker.sync();
    }
    {
        const Timer timer(profile.backward, worker);
        b.qkv.backward_rows(a.d_wide.get(), a.d_ln.get(), rows);
    }
    {
        const Timer timer(profile.weights, worker);
        b.qkv.backward_columns(b.ln_1.get(), a.d_wide.get(), M, a.packed_3c, worker);
    }
    const Timer timer(profile.backward, worker);
    layer_norm_backward_rows(b.x.get(), b.ln_1_stats.get(), b.ln_1_gain, a.d_ln.get(), a.d_x.get(), C, rows);
    layer_norm_backward_columns(b.x.get(), b.ln_1_stats.get(), a.d_ln.get(), b.d_ln_1_gain, b.d_ln_1_bias, M,
                                C, worker);
    worker.sync();
}

}  // namespace tbt::train
