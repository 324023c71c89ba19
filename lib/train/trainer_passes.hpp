// The inside of Trainer: the memory for the forward and backward pass of one sequence. trainer.cpp
// distributes the sequences among the threads; trainer_passes.cpp has the passes of one sequence.
#pragma once

#include <chrono>

#include "lib/train/train_attention.hpp"
#include "lib/train/train_layers.hpp"
#include "lib/train/trainer.hpp"

namespace tbt::train {

// The number of rows whose logits are in memory at a time: they are computed, replaced by their
// gradient and used before the next rows. That is 4 MB for V = 4096.
inline constexpr std::int64_t head_rows = 256;

// Adds the seconds of its lifetime to a counter.
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

struct Trainer::Sequence {
    const std::int32_t* ids;      // (T)
    const std::int32_t* targets;  // (T)
    double* losses;               // (T)
    std::int64_t T;
};

struct Trainer::Workspace {
    // The activations of one layer that the backward pass needs. x (T, C) is the layer's input.
    struct Layer {
        AlignedFloats x, normed_1, stats_1, qkv, attention_stats, attention;
        AlignedFloats x_middle, normed_2, stats_2, up, inner;
    };
    std::vector<Layer> layers;
    AlignedFloats x_last, normed, stats, logits;
    std::vector<double> losses;                // (head_rows), the teacher's losses; not used
    AlignedFloats d_x, d_normed, d_attention;  // (T, C), (T, C), (T, Q)
    AlignedFloats d_wide, d_inner;             // (T, wider of qkv and up); if gated: (T, F)
    PackedMatrix packed;
    AttentionScratch scratch;
    Profile profile;
    std::int64_t capacity = 0;  // tokens

    void reserve(const TransformerConfig& shape, std::int64_t T);
};

}  // namespace tbt::train
