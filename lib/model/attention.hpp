// Causal multi-head attention over the KV cache [Vaswani et al. 2017, §3.2], where several query
// heads may read the keys and values of one [Ainslie et al. 2023], and a row may see no further
// back than a window.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/machine/threads.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

// The rows of one sequence in a batch: rows first_row … first_row + tokens − 1 of the activations
// are its tokens at positions cache->length() … cache->length() + tokens − 1.
// Of a tree, row i follows row parents[i] of the sequence, or the cache where that is −1.
struct SequenceRows {
    KvCache* cache = nullptr;
    std::int64_t first_row = 0;
    int tokens = 0;
    std::span<const int> parents = {};
};

// The most tokens in a branch of a tree.
inline constexpr int most_tree_depth = 64;

// Shapes: R rows in the batch, H query heads, K heads of keys and values, D components each,
// C = H · D. A row of qkv is (q (H, D), k (K, D), v (K, D)). Query head h reads head h / (H / K).
struct AttentionShape {
    int channels = 0;     // C
    int heads = 0;        // H
    int kv_heads = 0;     // K, a divisor of H; 0: H
    int window = 0;       // a row sees so many tokens, itself included; 0: all up to itself
    float scalar = 0.0f;  // scores are divided by its root; 0: D
    int head_size() const { return channels / heads; }
    int key_heads() const { return kv_heads > 0 ? kv_heads : heads; }
    int group() const { return heads / key_heads(); }
    int row() const { return channels + 2 * key_heads() * head_size(); }
};

// What one head looks at: for each row of a pass its shares of the positions up to its own, which
// are what its values are mixed by, and sum to 1. Of a tree's row the cache's, then its branch's.
struct AttentionWatch {
    int layer = 0, head = 0;
    std::vector<std::vector<float>> rows = {};  // (R), of the last pass
};

// Writes keys and values of qkv (R, (H + 2K) · D) to the caches of layer `layer`; those of a tree
// are held beside it. Caches must have room.
// Called by every thread of a team; each does its share of the (sequence, head of keys) pairs.
void append_keys_and_values(const float* qkv, std::span<const SequenceRows> sequences,
                            const AttentionShape& shape, int layer, const Worker& worker);

// out[t] (C) = concatenation over heads of Σ_u softmax_u(q_t · k_u / √D) · v_u,
// u = 0 … position of t, or the last `window` of these. out is (R, C).
// scratch: attention_scratch_size(sequences) floats for each thread. watch, of which rows has R
// elements: filled in where it is this layer.
void attend(const float* qkv, std::span<const SequenceRows> sequences, const AttentionShape& shape,
            int layer, float* out, float* scratch, const Worker& worker,
            AttentionWatch* watch = nullptr);

// For a tree, counts every row, whatever its branch.
std::int64_t attention_scratch_size(std::span<const SequenceRows> sequences);

}  // namespace tbt
