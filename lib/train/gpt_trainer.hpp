// A GPT-2 for training: forward and backward over whole sequences, all by hand.
//
//     x = wte[id] + wpe[t]
//     per layer:  x = x + proj(attention(qkv(ln_1(x))));   x = x + proj(gelu(fc(ln_2(x))))
//     logits = ln_f(x) · wteᵀ
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
#include "lib/train/parameters.hpp"
#include "lib/train/train_attention.hpp"

namespace tbt::train {

// Seconds spent per phase, summed over the threads.
struct Profile {
    double forward = 0, attention = 0, head = 0, backward = 0, attention_backward = 0, weights = 0;
};

class GptTrainer {
public:
    // parts: into how many a batch is cut, so the most threads that help,
    // and blocks of gradients in memory. precision: of the factors of all products.
    // fills_masks: a token looks at the whole sequence instead of back only, and the last id of
    // the vocabulary is a mask, which is read and never written: no logit belongs to it.
    GptTrainer(const GptConfig& shape, int threads, int parts = 8,
               Precision precision = Precision::f32, bool fills_masks = false);
    ~GptTrainer();

    const GptConfig& shape() const { return shape_; }
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
    void learn_from(GptTrainer* teacher);

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
    struct Block;      // of the model: where its parameters lie, its packed matrices
    struct Workspace;  // of a thread: activations of one sequence, scratch
    struct Sequence;   // tokens, targets, losses

    std::span<float> block(const AlignedFloats& b) { return {b.get(), index(layout_.total)}; }
    void check(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
               std::int64_t B, std::int64_t T) const;
    BatchShape attention_shape(std::int64_t T) const;
    void for_each_part(std::int64_t B,
                       const std::function<void(int part, Range sequences, int rank)>& work);
    void forward(const Sequence& sequence, Workspace& w) const;
    void head(const Sequence& sequence, Workspace& w, float factor, float* gradients,
              Workspace* teacher) const;
    void logits(Workspace& w, std::int64_t t, std::int64_t n) const;
    void backward(const Sequence& sequence, Workspace& w, float* gradients) const;
    void backward_block(std::size_t l, std::int64_t T, Workspace& w, float* gradients) const;

    GptConfig shape_;
    ParameterLayout layout_;
    bool fills_masks_;
    std::int64_t outputs_;  // logits a token: the ids that can be written
    int threads_, parts_;
    AlignedFloats parameters_;
    std::vector<AlignedFloats> gradients_;  // one block a part; the sum ends up in the first
    std::vector<Block> blocks_;
    Precision precision_;
    // wteᵀ (C, outputs) for the logits, wte (outputs, C) for their gradient
    Factor table_, table_transposed_;
    std::int64_t wte_, wpe_, ln_f_gain_, ln_f_bias_;
    std::vector<std::unique_ptr<Workspace>> workspaces_;
    GptTrainer* teacher_ = nullptr;
};

}  // namespace tbt::train
