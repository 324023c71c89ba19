// The inside of GptTrainer, shared by its forward and its backward half.
#pragma once

#include <chrono>

#include "gpt_trainer.hpp"

namespace tbt::train {

// Logits are made, turned into their gradient and used up for so many rows at a time: 4 MB at V = 4096.
inline constexpr std::int64_t head_rows = 256;

// Adds the time of its life to a counter, on the first thread.
class Timer {
public:
    Timer(double& counter, const Worker& worker)
        : counter_(worker.rank == 0 ? &counter : nullptr), start_(clock::now()) {}
    ~Timer() {
        if (counter_) *counter_ += std::chrono::duration<double>(clock::now() - start_).count();
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

private:
    using clock = std::chrono::steady_clock;
    double* counter_;
    clock::time_point start_;
};

// One transformer block: its parameters, and the activations its backward pass needs (of one micro-batch).
struct GptTrainer::Block {
    const float *ln_1_gain, *ln_1_bias, *ln_2_gain, *ln_2_bias;
    float *d_ln_1_gain, *d_ln_1_bias, *d_ln_2_gain, *d_ln_2_bias;
    Linear qkv, attention_projection, fc, projection;
    AlignedFloats x, ln_1, ln_1_stats, qkv_out, attention_stats, attention_out;  // x (M, C) comes in
    AlignedFloats x_middle, ln_2, ln_2_stats, fc_out, gelu_out;
};

struct GptTrainer::Activations {
    std::int64_t B = 0, T = 0, M = 0;
    AlignedFloats x_last, ln_f, ln_f_stats, logits;
    AlignedFloats d_x, d_ln, d_wide, d_attention;  // (M, C), (M, C), (M, 4C), (M, C)
    PackedMatrix packed_c, packed_3c, packed_4c, packed_ln_f, packed_ln_f_rest;
};

}  // namespace tbt::train
