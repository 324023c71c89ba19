// A transformer for training, GPT-2 or Llama: forward and backward over whole sequences, all by
// hand.
//
//     GPT-2:  x = wte[id] + wpe[t]
//             per layer:  x += proj(attention(qkv(norm(x))));   x += down(gelu(up(norm(x))))
//     Llama:  x = embed[id]
//             per layer:  x += o(attention(rotate(qkv(norm(x)))))
//                         x += down(silu(gate(norm(x))) · up(norm(x)))
//     both:   logits = norm(x) · head
//
// Which norm, positions, MLP and attention a model has says its configuration
// (lib/model/architecture.hpp), as for lib/model's Transformer.
//
// A batch is cut into parts of whole sequences. A thread takes the next part that nobody has,
// runs it forward and backward, and adds up its gradient in a block that belongs to the part;
// at the end the blocks are added in their order. So threads wait for each other once a step,
// not once a layer, and the bits of the result depend on the number of parts but not on the
// number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/index.hpp"
#include "lib/machine/threads.hpp"
#include "lib/train/factor.hpp"
#include "lib/train/gated_layers.hpp"
#include "lib/train/parameters.hpp"
#include "lib/train/train_attention.hpp"
#include "lib/train/trainer_blocks.hpp"

namespace tbt::train {

// Seconds spent per phase, summed over the threads.
struct Profile {
    double forward = 0, attention = 0, head = 0, backward = 0, attention_backward = 0, weights = 0;
};

class Trainer {
public:
    // parts: into how many a batch is cut, so the most threads that help,
    // and blocks of gradients in memory. precision: of the factors of all products.
    // fills_masks: a token looks at the whole sequence instead of back only, and the last id of
    // the vocabulary is a mask, which is read and never written: no logit belongs to it.
    // Throws Error for what check_trainable refuses.
    Trainer(const TransformerConfig& shape, int threads, int parts = 8,
            Precision precision = Precision::f32, bool fills_masks = false);
    ~Trainer();

    const TransformerConfig& shape() const { return shape_; }
    const ParameterLayout& layout() const { return layout_; }
    std::span<float> parameters() { return block(parameters_); }
    std::span<float> gradients() { return block(gradients_[0]); }
    std::span<float> of(const ParameterInfo& t) {
        return parameters().subspan(index(t.offset), index(t.size));
    }

    // After parameters() were written to: packs the weights for the kernels.
    void parameters_changed();

    // From now on gradient() pulls towards the teacher's distribution q instead of the text's next
    // token:
    // p − q where it was p − onehot [Hinton et al. 2015, §2, at temperature 1].
    // Losses are still −ln p(target). The teacher must have the vocabulary,
    // at least the context and at least the threads of this model, and outlive it; null:
    // the text again.
    void learn_from(Trainer* teacher);

    // Mean of −ln p(target) over the targets that count (≥ 0), and its gradient with respect to
    // every parameter. ids, targets (B, T). Of a model that fills masks: the mean over the
    // sequences of each one's mean, however many of its tokens are masked.
    double gradient(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
                    std::int64_t B, std::int64_t T);

    // −ln p(target) of each position, without gradients.
    std::vector<double> losses(std::span<const std::int32_t> ids,
                               std::span<const std::int32_t> targets, std::int64_t B,
                               std::int64_t T);

    // Floating-point operations of a training step per token: 6 for each weight of a matrix (2
    // forward, 4 backward), attention's products over the keys that are seen only.
    double flops_per_token(std::int64_t T) const;

    Profile profile() const;

private:
    struct Workspace;  // of a thread: activations of one sequence, scratch
    struct Sequence;   // tokens, targets, losses

    std::span<float> block(const AlignedFloats& b) { return {b.get(), index(layout_.total)}; }
    void check(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
               std::int64_t B, std::int64_t T) const;
    BatchShape attention_shape(std::int64_t T) const;
    void for_each_part(std::int64_t B,
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
    std::int64_t outputs_;  // logits a token: the ids that can be written
    int threads_, parts_;
    AlignedFloats parameters_;
    std::vector<AlignedFloats> gradients_;  // one block a part; the sum ends up in the first
    ModelWeights weights_;
    RotaryTable rotary_;
    Precision precision_;
    // headᵀ (C, outputs) for the logits, head (outputs, C) for their gradient
    Factor head_, head_transposed_;
    std::vector<std::unique_ptr<Workspace>> workspaces_;
    Trainer* teacher_ = nullptr;
};

}  // namespace tbt::train
