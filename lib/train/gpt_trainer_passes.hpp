// The inside of GptTrainer: what one sequence needs on its way through the model and back.
// gpt_trainer.cpp spreads the sequences over the threads, gpt_trainer_passes.cpp takes one there
// and back.
#pragma once

#include <chrono>

#include "lib/train/gpt_trainer.hpp"
#include "lib/train/train_attention.hpp"
#include "lib/train/train_layers.hpp"

namespace tbt::train {

// Logits are made, turned into their gradient and used up for so many rows at a
// time: 4 MB at V = 4096.
inline constexpr std::int64_t head_rows = 256;

// Adds the time of its life to a counter.
class Timer {
public:
    explicit Timer(double& counter) : counter_(counter), start_(clock::now()) {}
    ~Timer() { counter_ += std::chrono::duration<double>(clock::now() - start_).count(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

private:
    using clock = std::chrono::steady_clock;
    double& counter_;
    clock::time_point start_;
};

// One transformer block. Vectors are offsets into the blocks of parameters and of gradients.
struct GptTrainer::Block {
    std::int64_t ln_1_gain, ln_1_bias, ln_2_gain, ln_2_bias;
    Linear qkv, attention_projection, fc, projection;
};

struct GptTrainer::Sequence {
    const std::int32_t* ids;      // (T)
    const std::int32_t* targets;  // (T)
    double* losses;               // (T)
    std::int64_t T;
};

struct GptTrainer::Workspace {
    explicit Workspace(Precision precision) : scratch(precision) {}

    // What the backward pass needs of one layer.
    struct Layer {
        AlignedFloats x, ln_1, ln_1_stats, qkv, attention_stats, attention;  // x (T, C) comes in
        AlignedFloats x_middle, ln_2, ln_2_stats, fc, gelu;
    };
    std::vector<Layer> layers;
    AlignedFloats x_last, ln_f, ln_f_stats, logits;
    std::vector<double> losses;                    // (head_rows), of a teacher: not used
    AlignedFloats d_x, d_ln, d_wide, d_attention;  // (T, C), (T, C), (T, 4C), (T, C)
    Factor packed;
    Bf16Left left;
    AttentionScratch scratch;
    Profile profile;
    std::int64_t capacity = 0;  // tokens

    void reserve(const GptConfig& shape, std::int64_t T);
};

}  // namespace tbt::train
