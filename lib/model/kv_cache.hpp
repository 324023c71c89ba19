// The keys and values of the tokens that a sequence has seen, for every layer and head.
//
// A cache is a list of blocks of 64 tokens. Copying a cache shares its blocks (that is
// how beams fork); a block that is shared is copied when one of its owners writes to it,
// so at most one block per fork is ever copied. Blocks come from a common pool and go back to it,
// so a decode loop allocates nothing once it has warmed up.
//
// Within a block, for each layer and key-value head (D: the head size, padded with zeros to a
// multiple of 16):
//   keys   (D, 64)   the transpose: one load brings the same component of sixteen tokens' keys
//   values (64, D)
// as floats or as F16 (TransformerConfig::cache_type). F16 halves the bytes to read; each number
// is rounded once, when it is written, and becomes infinite from 65520 on. Attention reads keys and
// values only from here, even those of the current tokens. So a text read at once and the same text
// read token by token give the same bits, with floats and with F16.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/kernels/tensor.hpp"
#include "lib/model/kv_pool.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

class KvCache {
public:
    static constexpr int block_tokens = 64;

    // An empty sequence that may grow to `capacity` tokens (0: the model's context);
    // its memory, for the first 8192 tokens at most, is reserved now.
    explicit KvCache(const TransformerConfig& config, int capacity = 0);
    // A cache that shares a pool with others. The pool must have been made for such a model.
    KvCache(std::shared_ptr<KvPool> pool, const TransformerConfig& config, int capacity = 0);

    KvCache(const KvCache& other);  // a fork: shares every block
    KvCache& operator=(const KvCache& other);
    KvCache(KvCache&& other) noexcept;  // leaves `other` empty, with capacity 0
    KvCache& operator=(KvCache&& other) noexcept;
    ~KvCache();

    int length() const { return length_; }
    int capacity() const { return capacity_; }

    // Forgets the tokens from position `length` on (rollback). length <= length().
    void truncate(int length);
    void clear() { truncate(0); }
    // Replaces the content by `length` tokens whose keys and values are in these blocks of the
    // pool. The blocks are shared; the last one is copied before this cache writes to it.
    void begin_with(std::span<const int> blocks, int length);
    // The blocks of its tokens, as the pool numbers them.
    std::span<const int> block_numbers() const {
        return std::span(blocks_).first(index(blocks_of(length_)));
    }
    bool shares(const KvPool& pool) const { return pool_.get() == &pool; }
    // The number of blocks that hold so many tokens; the last block may be partly filled.
    static int blocks_of(int tokens) { return (tokens + block_tokens - 1) / block_tokens; }

    // Throws Error unless keys and values can be stored as this type: f32 or f16.
    static void check_type(WeightType type);

    // Bytes that one token takes, without padding: 2 · layers · K · head size · 4 (2 for F16),
    // with K key-value heads. K · head size is C if each query head has its own.
    static std::int64_t bytes_per_token(const TransformerConfig& config);
    // Bytes held by this sequence's blocks, and by the whole pool that it shares with its forks.
    std::int64_t bytes() const;
    std::int64_t pool_bytes() const;

    // After a pass over a tree of guesses, whose rows were held: the rows of one branch, in order
    // from its first, become the next tokens. The bits are those of a text read in this order.
    void keep(std::span<const int> rows);

    // For the model. make_room: call it before writing the next `tokens` positions (throws Error
    // when they exceed the capacity); advance: call it when they have been written.
    void make_room(int tokens);
    void advance(int tokens);
    int blocks_to_take(int tokens) const;  // that make_room would take from the pool
    // A tree's rows are held outside the text until keep() picks a branch. hold_rows: makes room
    // for so many rows. hold: stores the key and the value of one head (`size` numbers each) in a
    // held row; write: stores them at a position of the text.
    void hold_rows(int rows);
    void hold(int row, int layer, int head, int size, const float* key, const float* value);
    void write(int position, int layer, int head, int size, const float* key, const float* value);
    bool fits(const TransformerConfig& config) const;
    int padded_head_size() const { return padded_head_size_; }
    int blocks() const { return count(blocks_); }  // with those that make_room added
    WeightType type() const { return type_; }      // f32 or f16
    // The matrices described above, with elements of type(). block: its index in this cache.
    const void* keys(int block, int layer, int head) const { return at(block, layer, 0, head); }
    const void* values(int block, int layer, int head) const { return at(block, layer, 1, head); }
    // Single numbers: component d of the key and of the value at a position.
    float key(int position, int layer, int head, int d) const;
    float value(int position, int layer, int head, int d) const;

private:
    // values: 0 for the matrix of keys, 1 for that of values.
    void* at(int block, int layer, int values, int head) const;
    float element(const void* matrix, int i) const;
    void check_component(int position, int d) const;
    bool tail_is_shared() const;
    float* held(int row, int layer, int head);
    void drop_blocks_from(std::size_t first);

    std::shared_ptr<KvPool> pool_;
    std::vector<int> blocks_;     // indices into the pool
    std::vector<float*> memory_;  // the same blocks' memory
    int layers_ = 0;
    int heads_ = 0;
    int padded_head_size_ = 0;
    WeightType type_ = WeightType::f32;
    int length_ = 0;
    int capacity_ = 0;
    std::vector<float> held_;  // rows of a tree: (rows, layers, heads, 2, padded head size)
    int held_rows_ = 0;
};

}  // namespace tbt
