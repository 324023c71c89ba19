// The memory of many KV caches: blocks of 64 tokens, each with a reference count.
//
// Caches take blocks from a pool, share them (a fork, a common beginning) and release them. A block
// without owners is free and is used again before the pool grows. A pool with a limit never has
// more blocks than that. When all are in use, it calls the function set with when_full(), which may
// release some; if none is released, take() throws Error.
#pragma once

#include <cstdint>
#include <functional>
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

    // Adds this many free blocks, regardless of the limit.
    void reserve(std::size_t blocks);

    int limit() const { return limit_; }
    int used() const { return to_int(blocks_.size() - free_.size()); }  // blocks with an owner
    std::int64_t block_floats() const { return block_floats_; }
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
};

}  // namespace tbt
