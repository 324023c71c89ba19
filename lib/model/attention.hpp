// Causal multi-head attention over the KV cache [Vaswani et al. 2017, §3.2]. Several query heads
// may share one head of keys and values (grouped-query attention) [Ainslie et al. 2023]. A sliding
// window may limit how far back a row sees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/machine/threads.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

// The rows of one sequence in a batch: rows first_row … first_row + tokens − 1 of the activations
// are its tokens at positions cache->length() … cache->length() + tokens − 1.
// If `parents` is not empty, the rows are a tree of drafted tokens: row i follows row parents[i] of
// these rows, or the cached text if parents[i] is −1.
struct SequenceRows {
    KvCache* cache = nullptr;
    std::int64_t first_row = 0;
    int tokens = 0;
    std::span<const int> parents = {};
};

// The maximum number of tokens in a branch of a tree.
inline constexpr int max_tree_depth = 64;

// Shapes: R rows in the batch, H query heads, K heads of keys and values, D components each,
// C = H · D. A row of qkv is (q (H, D), k (K, D), v (K, D)). Query head h reads head h / (H / K).
struct AttentionShape {
    int channels = 0;     // C
    int heads = 0;        // H
    int kv_heads = 0;     // K, a divisor of H; 0: H
    int window = 0;       // the number of tokens that a row sees, with itself; 0: all up to itself
    float scalar = 0.0f;  // scores are divided by √scalar; 0: by √D
    float cap = 0.0f;     // a score s becomes cap · tanh(s / cap); 0: stays
    const float* sinks = nullptr;  // (H), a score for each head that has no value; null: none
    int head_size() const { return channels / heads; }
    int key_heads() const { return kv_heads > 0 ? kv_heads : heads; }
    int group() const { return heads / key_heads(); }
    int row() const { return channels + 2 * key_heads() * head_size(); }
};

// Records the attention weights of one head. rows[r] has the weight of each position that row r
// sees; with that of its sink, if there is one, they sum to 1. For a row of a tree, the cached
// positions come first, then its branch.
struct AttentionWatch {
    int layer = 0, head = 0;
    std::vector<std::vector<float>> rows = {};  // R of them, from the latest pass
};

// Writes the keys and values of qkv (R, (H + 2K) · D) to layer `layer` of each sequence's cache,
// after its cached text; for a tree, to KvCache::stage(). The caches must have room.
// Every thread of a team calls this; each does its part of the (sequence, head of keys) pairs.
void append_keys_and_values(const float* qkv, std::span<const SequenceRows> sequences,
                            const AttentionShape& shape, int layer, const Worker& worker);

// out[t] (C) = concatenation over heads of Σ_u softmax_u(q_t · k_u / √D) · v_u for
// u = 0 … position of t, or for the last `window` of these positions. out is (R, C).
// scratch: attention_scratch_size(sequences) floats for each thread of the team.
// watch: null, or its `rows` has R elements, which are filled in if watch->layer is `layer`.
void attend(const float* qkv, std::span<const SequenceRows> sequences, const AttentionShape& shape,
            int layer, float* out, float* scratch, const Worker& worker,
            AttentionWatch* watch = nullptr);

// The same with bidirectional attention: the sum over u includes all positions of the sequence for
// every row t. If the threads divide the (sequence, head of keys) pairs as for
// append_keys_and_values(), they need not sync between that call and this one.
void attend_bidirectional(const float* qkv, std::span<const SequenceRows> sequences,
                          const AttentionShape& shape, int layer, float* out, float* scratch,
                          const Worker& worker);

// The floats of scratch that attend() needs for each thread. For a tree it counts every row, so it
// is enough for any shape of the tree.
std::int64_t attention_scratch_size(std::span<const SequenceRows> sequences);

}  // namespace tbt
