// The keys and values of the tokens that a sequence has seen, for every layer and head.
//
// A cache is a list of blocks of 64 tokens. Copying a cache shares its blocks (that is
// how beams fork); a block that is shared is copied when one of its owners writes to it,
// so at most one block per fork is ever copied. Blocks come from a common pool and go back to it,
// so a decode loop allocates nothing once it has warmed up.
//
// Within a block, for each layer and head of keys (D = head size rounded up to 16, zeros after):
//   keys   (D, 64)   the transpose: one load brings the same component of sixteen tokens' keys
//   values (64, D)
// as floats or as F16, each rounded once when it is written (TransformerConfig::cache_type): half
// the bytes to read. Attention reads them from here only, whenever they were made, so a text read
// at once and one read token by token have the same bits in both. From 65520 on an F16 is infinite.
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
    // One of many in a common pool, which must have been made for such a model.
    KvCache(std::shared_ptr<KvPool> pool, const TransformerConfig& config, int capacity = 0);

    KvCache(const KvCache& other);  // a fork: shares every block
    KvCache& operator=(const KvCache& other);
    KvCache(KvCache&& other) noexcept;  // what is moved from holds nothing, and has no room
    KvCache& operator=(KvCache&& other) noexcept;
    ~KvCache();

    int length() const { return length_; }
    int capacity() const { return capacity_; }

    // Forgets the tokens from position `length` on (rollback). length <= length().
    void truncate(int length);
    void clear() { truncate(0); }
    // Becomes the `length` tokens whose keys and values these blocks of its pool hold; it shares
    // them, and copies the last one before it writes there.
    void begin_with(std::span<const int> blocks, int length);
    // The blocks of its tokens, as the pool numbers them.
    std::span<const int> block_numbers() const {
        return std::span(blocks_).first(index(blocks_of(length_)));
    }
    bool shares(const KvPool& pool) const { return pool_.get() == &pool; }
    // How many blocks so many tokens fill, the last one perhaps in part.
    static int blocks_of(int tokens) { return (tokens + block_tokens - 1) / block_tokens; }

    // Throws Error unless keys and values can be kept as this: f32 or f16.
    static void check_type(WeightType type);

    // Bytes that one token takes, by formula: 2 · layers · K · D · 4, or 2 as F16, with K heads of
    // keys; K · D is C where each query head has its own.
    static std::int64_t bytes_per_token(const TransformerConfig& config);
    // Bytes held by this sequence's blocks, and by the whole pool that it shares with its forks.
    std::int64_t bytes() const;
    std::int64_t pool_bytes() const;

    // Of a tree's rows, which were held: those of one branch, from the first on, become the next
    // tokens. The bits are those of a text that was read in this order.
    void keep(std::span<const int> rows);

    // For the model. make_room: the next `tokens` positions can be written (throws Error when they
    // exceed the capacity); advance: they have been.
    void make_room(int tokens);
    void advance(int tokens);
    int blocks_to_take(int tokens) const;  // of the pool, by make_room
    // hold_rows: so many rows of a tree can be held; hold, write: the key and the value (D) of
    // one head, beside the text or at a position of it.
    void hold_rows(int rows);
    void hold(int row, int layer, int head, int size, const float* key, const float* value);
    void write(int position, int layer, int head, int size, const float* key, const float* value);
    bool fits(const TransformerConfig& config) const;
    int padded_head_size() const { return padded_head_size_; }
    int blocks() const { return count(blocks_); }  // with room for what was asked for
    WeightType type() const { return type_; }      // f32 or f16
    // The matrices above, of type()'s elements.
    const void* keys(int block, int layer, int head) const { return at(block, layer, 0, head); }
    const void* values(int block, int layer, int head) const { return at(block, layer, 1, head); }
    // Single numbers: component d of the key and of the value at a position.
    float key(int position, int layer, int head, int d) const;
    float value(int position, int layer, int head, int d) const;

private:
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
    std::vector<float> held_;  // (rows, layers, heads, 2, padded head size)
    int held_rows_ = 0;
};

}  // namespace tbt
