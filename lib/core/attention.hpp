// Causal multi-head attention over a KV cache [Vaswani et al. 2017, §3.2].
//
// H heads of D components each, C = H · D channels.
#pragma once

#include <cstdint>

#include "lib/core/tensor.hpp"

namespace tbt {

// The KV cache: the keys and values of a sequence's tokens, for every layer and head, in memory
// that is set aside for the whole context when it is made (the system provides a page when it is
// first written to). Attention reads keys and values only from here, even those of the current
// tokens, so a text read in one pass and the same text read token by token give the same bits.
//
// (The engine's KvCache is made of blocks, which copies share: lib/model/kv_cache.hpp.)
class GptCache {
public:
    GptCache(int layers, int heads, int head_size, int capacity);
    // For a model with this configuration (GptConfig).
    template <class Config>
    explicit GptCache(const Config& c)
        : GptCache(c.n_layer, c.n_head, c.n_head > 0 ? c.n_embd / c.n_head : 0, c.n_positions) {}

    // Was it made for a model of these sizes?
    template <class Config>
    bool fits(const Config& c) const {
        return layers_ == c.n_layer && heads_ == c.n_head && head_size_ == c.n_embd / c.n_head &&
               capacity_ <= c.n_positions;
    }

    int length() const { return length_; }
    int capacity() const { return capacity_; }
    int heads() const { return heads_; }
    int head_size() const { return head_size_; }

    // Keeps only the first `length` tokens (rollback). `length` must be at most length().
    void truncate(int length);
    void clear() { truncate(0); }

    // For the forward pass: throws Error if the next `tokens` positions exceed the capacity. Write
    // them, then call advance().
    void check_room(int tokens) const;
    void advance(int tokens);
    void write(int position, int layer, int head, const float* key, const float* value);
    // Keys are in groups of sixteen tokens, (groups, D, 16): one load gets the same component of
    // sixteen keys. Values are rows, (tokens, D rounded up to a multiple of 16).
    const float* keys(int layer, int head) const { return data(layer, head); }
    const float* values(int layer, int head) const {
        return data(layer, head) + std::int64_t{padded_capacity_} * head_size_;
    }
    int value_row() const { return value_row_; }
    // Single numbers: component d of the key and of the value at a position.
    float key(int position, int layer, int head, int d) const;
    float value(int position, int layer, int head, int d) const;

private:
    float* data(int layer, int head) const;
    std::int64_t key_at(int position, int d) const;
    void check(int position, int layer, int head, int d) const;

    int layers_, heads_, head_size_, capacity_, value_row_ = 0, padded_capacity_ = 0, length_ = 0;
    AlignedFloats memory_;  // for each layer and head: keys, then values
};

// out[t] (C) = concatenation over heads of Σ_u softmax_u(q_t · k_u / √D) · v_u for u = 0 … position
// of t. qkv is (T, 3C): queries, keys, values of T new tokens, whose keys and values are written to
// the cache (which must have room). out is (T, C). scratch: attention_scratch() floats.
void attend(const float* qkv, int tokens, GptCache& cache, int layer, float* out, float* scratch,
            int threads);
std::int64_t attention_scratch(const GptCache& cache, int tokens);

}  // namespace tbt
