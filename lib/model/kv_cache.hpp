// The memory of many KV caches: blocks of 64 tokens, each with a reference count.
//
// Caches take blocks from a pool, share them (a fork, a common beginning) and release them. A block
// without owners is free and is used again before the pool grows. A pool with a limit never has
// more blocks than that. When all are in use, it calls the function set with when_full(), which may
// release some; if none is released, take() throws Error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/core/tensor.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

class KvPool {
public:
    // Blocks for caches of this model. `limit` is the maximum number of blocks; 0: no limit.
    // Throws Error if the limit is negative or a size of the model is not positive.
    explicit KvPool(const TransformerConfig& config, int limit = 0);

    // Sets the function to call when a block is needed, all are in use and no more are allowed. It
    // returns true if it released a block, so that the pool tries again. It must not take blocks.
    void when_full(std::function<bool()> give_back) { give_back_ = std::move(give_back); }

    // A block with one owner. Throws Error when the limit is reached.
    int take();
    void share(int block);    // adds an owner
    void release(int block);  // removes an owner
    int owners(int block) const;
    // The floats of a block. They are zeroed once, when the pool allocates them: padding stays
    // zero, and attention may read (and ignore) positions not written yet. The system provides
    // pages of memory only when they are written.
    float* memory(int block);

    // The copies of blocks since the last call, from and to, and a number that no other pool has:
    // for other processes that do the same with their part of the heads.
    std::vector<std::pair<int, int>> take_copies() { return std::exchange(copies_, {}); }
    int number() const { return number_; }
    void copy(int from, int to);

    // Adds this many free blocks, regardless of the limit.
    void reserve(std::size_t blocks);

    int limit() const { return limit_; }
    int used() const { return to_int(blocks_.size() - free_.size()); }  // blocks with an owner
    std::int64_t block_bytes() const { return block_floats_ * to_int(sizeof(float)); }
    // Bytes of all blocks, free ones included.
    std::int64_t bytes() const { return length_of(blocks_) * block_bytes(); }
    // Does a cache of this model need blocks of this layout: layers, heads, head size, type?
    bool fits(const TransformerConfig& config) const;

private:
    void check(int block) const;

    int layers_, heads_, head_size_;
    WeightType type_;
    std::int64_t block_floats_;
    int limit_;
    std::function<bool()> give_back_;
    std::vector<AlignedFloats> memory_;
    std::vector<float*> blocks_;
    std::vector<int> owners_;
    std::vector<int> free_;
    std::vector<std::pair<int, int>> copies_;
    bool records_copies_;
    int number_;
};

// The KV cache: the keys and values of a sequence's tokens, for every layer and head.
//
// A cache is a list of blocks of 64 tokens each. A copy of a cache shares its blocks (beam search
// forks sequences in this way). A shared block is copied when one of its owners writes to it, so a
// fork copies at most one block. Blocks come from a pool and are returned to it, so a decode loop
// allocates no memory after its first steps.
//
// A block has two matrices for each layer and key-value head (D: the head size, padded with zeros
// to a multiple of 16):
//   keys   (D, 64)   transposed: one load gets the same component of sixteen tokens' keys
//   values (64, D)
// Their elements are floats or F16 (TransformerConfig::cache_type). F16 halves the bytes to read;
// each number is rounded once, when it is written, and numbers of 65520 or more become infinite.
// Attention reads keys and values only from here, even those of the current tokens. So a text read
// in one pass and the same text read token by token give the same bits, with floats and with F16.

class KvCache {
public:
    static constexpr int block_tokens = 64;

    // An empty sequence that may grow to `capacity` tokens (0: the model's context). The memory for
    // the first 8192 tokens at most is reserved now.
    explicit KvCache(const TransformerConfig& config, int capacity = 0);
    // A cache whose blocks come from a pool that other caches use, too. The pool must have been
    // made for the same sizes.
    KvCache(std::shared_ptr<KvPool> pool, const TransformerConfig& config, int capacity = 0);

    KvCache(const KvCache& other);  // a fork: shares every block with a token
    KvCache& operator=(const KvCache& other);
    KvCache(KvCache&& other) noexcept;  // leaves `other` empty, with capacity 0
    KvCache& operator=(KvCache&& other) noexcept;
    ~KvCache();

    int length() const { return length_; }
    int capacity() const { return capacity_; }

    // Keeps only the first `length` tokens (rollback). `length` must be at most length().
    void truncate(int length);
    void clear() { truncate(0); }
    // Replaces the content by `length` tokens whose keys and values are in these blocks of the
    // pool. The blocks are shared; the last one is copied before this cache writes to it. They may
    // have room for `more` tokens; blocks with none of the `length` tokens must be this cache's
    // alone.
    void begin_with(std::span<const int> blocks, int length, int more = 0);
    // The pool's numbers of the blocks that hold this sequence's tokens, and `more` of them for
    // which make_room() was called.
    std::span<const int> block_numbers(int more = 0) const {
        return std::span(blocks_).first(index(block_count(length_ + more)));
    }
    KvPool& pool() const { return *pool_; }
    bool shares(const KvPool& pool) const { return pool_.get() == &pool; }
    // The number of blocks for `tokens` tokens; the last block may be partly filled.
    static int block_count(int tokens) { return (tokens + block_tokens - 1) / block_tokens; }

    // Throws Error if the type is not one that keys and values can be stored as: f32 or f16.
    static void check_type(WeightType type);

    // Bytes for one token, without padding: 2 · layers · K · head size · 4 (· 2 for F16). K is the
    // number of key-value heads. K · head size is C if each query head has its own.
    static std::int64_t bytes_per_token(const TransformerConfig& config);
    // Bytes of this sequence's blocks, and of the whole pool that it shares with its forks.
    std::int64_t bytes() const;
    std::int64_t pool_bytes() const;

    // After a pass over a tree of drafted tokens, whose rows were stored with stage(): appends the
    // rows of one branch, given in order from its first, as the next tokens. The bits are the same
    // as if the branch had been read as plain text.
    void commit(std::span<const int> rows);

    // For the model's forward pass. Call make_room() before writing the next `tokens` positions (it
    // throws Error if they exceed the capacity), and advance() after writing them.
    void make_room(int tokens);
    void advance(int tokens);
    int blocks_to_take(int tokens) const;  // the number that make_room would take from the pool
    // The rows of a tree are stored apart from the text until commit() appends one branch.
    // stage_rows() makes room for `rows` rows. stage() stores the key and the value of one head
    // (`size` numbers each) in such a row; write() stores them at a position of the text.
    void stage_rows(int rows);
    void stage(int row, int layer, int head, int size, const float* key, const float* value);
    void write(int position, int layer, int head, int size, const float* key, const float* value);
    bool fits(const TransformerConfig& config) const;
    int padded_head_size() const { return padded_head_size_; }
    int blocks() const { return count(blocks_); }  // with those that make_room added
    WeightType type() const { return type_; }      // f32 or f16
    // The matrices described above, with elements of type(). `block` is an index in this cache.
    const void* keys(int block, int layer, int head) const { return at(block, layer, 0, head); }
    const void* values(int block, int layer, int head) const { return at(block, layer, 1, head); }
    // Single numbers: component d of the key and of the value at a position.
    float key(int position, int layer, int head, int d) const;
    float value(int position, int layer, int head, int d) const;

private:
    // `values` is 0 for the matrix of keys, 1 for the matrix of values.
    void* at(int block, int layer, int values, int head) const;
    float element(const void* matrix, int i) const;
    void check_component(int position, int d) const;
    bool tail_is_shared() const;
    float* staged(int row, int layer, int head);
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
    std::vector<float> staged_;  // rows of a tree: (rows, layers, heads, 2, padded head size)
    int staged_rows_ = 0;
};

}  // namespace tbt
