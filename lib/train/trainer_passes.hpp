// The inside of Trainer: what one sequence needs on its way through the model and back.
// trainer.cpp spreads the sequences over the threads, trainer_passes.cpp takes one there
// and back.
#pragma once

#include <chrono>

#include "lib/train/train_attention.hpp"
#include "lib/train/train_layers.hpp"
#include "lib/train/trainer.hpp"

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

struct Trainer::Sequence {
    const std::int32_t* ids;      // (T)
    const std::int32_t* targets;  // (T)
    double* losses;               // (T)
    std::int64_t T;
};

struct Trainer::Workspace {
    explicit Workspace(Precision precision) : scratch(precision) {}

    // What the backward pass needs of one layer.
    struct Layer {
        AlignedFloats x, normed_1, stats_1, qkv, attention_stats, attention;  // x (T, C) comes in
        AlignedFloats x_middle, normed_2, stats_2, up, inner;
    };
    std::vector<Layer> layers;
    AlignedFloats x_last, normed, stats, logits;
    std::vector<double> losses;                // (head_rows), of a teacher: not used
    AlignedFloats d_x, d_normed, d_attention;  // (T, C), (T, C), (T, Q)
    AlignedFloats d_wide, d_inner;             // of qkv or up: (T, the wider); gated: (T, F)
    Factor packed;
    Bf16Left left;
    AttentionScratch scratch;
    Profile profile;
    std::int64_t capacity = 0;  // tokens

    void reserve(const TransformerConfig& shape, std::int64_t T);
};

}  // namespace tbt::train
