// A transformer for training, GPT-2 or Llama: the forward pass over whole sequences and a
// hand-written backward pass, without automatic differentiation.
//
//     GPT-2:  x = wte[id] + wpe[t]
//             per layer:  x += proj(attention(qkv(norm(x))));   x += down(gelu(up(norm(x))))
//     Llama:  x = embed[id]
//             per layer:  x += o(attention(rotate(qkv(norm(x)))))
//                         x += down(silu(gate(norm(x))) · up(norm(x)))
//     both:   logits = norm(x) · head
//
// TransformerConfig::architecture says which norm, positions, MLP and attention a model has, as for
// lib/model's Transformer.
//
// A batch is divided into parts of whole sequences. A thread takes the next free part, runs it
// forward and backward, and sums its gradient in a block that belongs to the part. At the end the
// blocks are added in order. So threads wait for each other once per step, not once per layer, and
// the bits of the result depend on the number of parts but not on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/processes.hpp"
#include "lib/train/parameters.hpp"
#include "lib/train/train_attention.hpp"
#include "lib/train/train_layers.hpp"

namespace tbt::train {

// The seconds spent in each phase, summed over the threads.
struct Profile {
    double forward = 0, attention = 0, head = 0, backward = 0, attention_backward = 0, weights = 0;
};

// Offsets in the blocks of parameters and of gradients. The bias is −1 for an RMS norm, which has
// none.
struct NormOffsets {
    std::int64_t gain, bias;
};

// The weights of one layer.
struct BlockWeights {
    NormOffsets norm_1, norm_2;
    Linear qkv, attention_projection;  // (C, N), (Q, C)
    Linear up, down;                   // (C, F), gated: (C, 2F), gate before up; (F, C)
};

struct ModelWeights {
    std::vector<BlockWeights> blocks;
    NormOffsets last_norm;
    // Offsets of the tables (V, C), (V, C) and (positions, C). head is equal to embedding if they
    // are tied; positions is −1 if positions are not learned.
    std::int64_t embedding, head, positions;
};

class Trainer {
public:
    // parts: the number of parts of a batch. It is also the maximum number of threads that can work
    // and the number of blocks of gradients in memory.
    // fills_masks: trains a masked model (chapter 22). Attention is bidirectional, and the last id
    // of the vocabulary is the mask, an input that has no logit.
    // Throws the errors of check_trainable().
    Trainer(const TransformerConfig& shape, int threads, int parts = 8, bool fills_masks = false);
    ~Trainer();

    const TransformerConfig& shape() const { return shape_; }
    const ParameterLayout& layout() const { return layout_; }
    std::span<float> parameters() { return block(parameters_); }
    std::span<float> gradients() { return block(gradients_[0]); }
    std::span<float> of(const ParameterInfo& t) {
        return parameters().subspan(index(t.offset), index(t.size));
    }

    // Call this after changing parameters(): it packs the weights for the kernels.
    void parameters_changed();

    // Distillation: from now on gradient() uses the teacher's distribution q as the target instead
    // of the text's next token, p − q instead of p − onehot [Hinton et al. 2015, §2, at temperature
    // 1]. Losses are still −ln p(target). The teacher must have the same vocabulary, at least this
    // model's context and threads, and must outlive it. Null: the text is the target again.
    void learn_from(Trainer* teacher);

    // From now on these processes share the parts of a batch among them: each runs some, and adds
    // the gradients of all parts, in their order, for some of the parameters. So the bits do not
    // depend on the number of processes. All must call gradient() with the same batch. Null: alone.
    void share_with(Processes* processes) { processes_ = processes; }

    // Returns the mean of −ln p(target) over the targets that count (≥ 0), and sets gradients() to
    // its gradient. ids and targets are (B, T). With fills_masks, it is the mean over the sequences
    // of each sequence's mean, so every sequence has the same weight.
    double gradient(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
                    std::int64_t B, std::int64_t T);

    // −ln p(target) at each position, without gradients.
    std::vector<double> losses(std::span<const std::int32_t> ids,
                               std::span<const std::int32_t> targets, std::int64_t B,
                               std::int64_t T);

    // Floating-point operations per token of a training step: 6 for each weight of a matrix (2
    // forward, 4 backward), and those of attention's products for the keys that a token sees.
    double flops_per_token(std::int64_t T) const;

    Profile profile() const;

private:
    struct Workspace;  // of one thread: the activations of one sequence, and scratch memory
    struct Sequence;   // tokens, targets, losses

    std::span<float> block(const AlignedFloats& b) { return {b.get(), index(layout_.total)}; }
    void check(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
               std::int64_t B, std::int64_t T) const;
    BatchShape attention_shape(std::int64_t T) const;
    std::vector<std::int64_t> starts(std::int64_t n) const;
    Range own(const std::vector<std::int64_t>& starts) const;
    void exchange(std::int64_t B, std::int64_t parts, std::span<double> losses);
    void for_each_part(std::int64_t B, Range parts,
                       const std::function<void(int part, Range sequences, int rank)>& work);
    void forward(const Sequence& sequence, Workspace& w) const;
    void norm(const NormOffsets& norm, const float* x, float* y, float* stats,
              std::int64_t T) const;
    void norm_backward(const NormOffsets& norm, const float* x, const float* stats,
                       const float* d_y, float* d_x, float* gradients, std::int64_t T) const;
    void head(const Sequence& sequence, Workspace& w, float factor, float* gradients,
              Workspace* teacher) const;
    void logits(Workspace& w, std::int64_t t, std::int64_t n) const;
    void backward(const Sequence& sequence, Workspace& w, float* gradients) const;
    void backward_block(std::size_t l, std::int64_t T, Workspace& w, float* gradients) const;

    TransformerConfig shape_;
    ParameterLayout layout_;
    bool fills_masks_;
    std::int64_t outputs_;  // logits per token: the number of ids that can be predicted
    int threads_, parts_;
    AlignedFloats parameters_;
    std::vector<AlignedFloats> gradients_;  // one block for each part; the first gets the sum
    ModelWeights weights_;
    RotaryTable rotary_;
    // headᵀ (C, outputs) for the logits, head (outputs, C) for their gradient
    PackedMatrix head_, head_transposed_;
    std::vector<std::unique_ptr<Workspace>> workspaces_;
    Trainer* teacher_ = nullptr;
    Processes* processes_ = nullptr;
};

// Measures the machine's limit, to compare the speed of training with: the floating-point
// operations per second (2 for each multiply-add) of all threads together, on registers, without
// memory. It takes about `seconds` seconds.
double fma_peak(int threads, double seconds = 0.1);

}  // namespace tbt::train
