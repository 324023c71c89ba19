// A GPT-2 for training: forward and backward over whole sequences, all by hand.
//
//     x = wte[id] + wpe[t]
//     per layer:  x = x + proj(attention(qkv(ln_1(x))));   x = x + proj(gelu(fc(ln_2(x))))
//     logits = ln_f(x) · wteᵀ
//
// A batch is worked off in micro-batches, so that the activations of one stay in the last-level cache;
// gradients add up. Gradients have the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "train_attention.hpp"
#include "train_layers.hpp"
#include "parameters.hpp"

namespace tbt::train {

// Seconds spent per phase, as seen by the first thread.
struct Profile {
    double forward = 0, attention = 0, head = 0, backward = 0, attention_backward = 0, weights = 0, pack = 0;
};

class GptTrainer {
public:
    // Sequences of a micro-batch are chosen to make about `micro_rows` tokens.
    GptTrainer(const ModelShape& shape, int threads, std::int64_t micro_rows = 1024);
    ~GptTrainer();

    const ModelShape& shape() const { return shape_; }
    const ParameterLayout& layout() const { return layout_; }
    std::span<float> parameters() { return {parameters_.get(), static_cast<std::size_t>(layout_.total)}; }
    std::span<float> gradients() { return {gradients_.get(), static_cast<std::size_t>(layout_.total)}; }
    std::span<float> of(const ParameterInfo& t) {
        return parameters().subspan(static_cast<std::size_t>(t.offset), static_cast<std::size_t>(t.size));
    }

    // After parameters() were written to: packs the weights for the kernels.
    void parameters_changed();

    // Mean of −ln p(target) over the counted targets (≥ 0), and its gradient with respect to every parameter.
    // ids, targets (B, T).
    double gradient(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets, std::int64_t B,
                    std::int64_t T);

    // −ln p(target) of each position, without gradients.
    std::vector<double> losses(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
                               std::int64_t B, std::int64_t T);

    // Floating-point operations of a training step per token: 6 for each weight of a matrix (2 forward, 4
    // backward), attention's products over the causal half only.
    double flops_per_token(std::int64_t T) const;

    Profile profile;

private:
    struct Block;
    struct Activations;
    void reserve(std::int64_t B, std::int64_t T);
    void forward(const std::int32_t* ids, std::int64_t B, std::int64_t T, const Worker& worker);
    void head(const std::int32_t* targets, double* losses, std::int64_t M, float factor, bool gradient,
              const Worker& worker);
    void backward(const std::int32_t* ids, std::int64_t B, std::int64_t T, const Worker& worker);
    void backward_block(std::size_t l, std::int64_t B, std::int64_t T, const Worker& worker);
    std::int64_t micro_batch(std::int64_t B, std::int64_t T) const;
    void check(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets, std::int64_t B,
               std::int64_t T) const;

    ModelShape shape_;
    ParameterLayout layout_;
    int threads_;
    std::int64_t micro_rows_;
    AlignedFloats parameters_, gradients_;
    std::vector<Block> blocks_;
    PackedMatrix table_, table_transposed_;  // wteᵀ (C, V) for the logits, wte (V, C) for their gradient
    std::unique_ptr<Activations> a_;
    std::vector<AttentionScratch> scratch_;
};

}  // namespace tbt::train
