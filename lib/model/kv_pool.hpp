// The memory of many KV caches: blocks of 64 tokens, each with a count of its owners.
//
// Caches take blocks from a pool, share them (a fork, a common beginning) and give them back; a
// block without owners is free, and taken again before the pool grows. With a limit the pool never
// holds more blocks than that: when all are in use, it asks for one to be given back (when_full),
// and refuses if none is.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "lib/index.hpp"
#include "lib/kernels/tensor.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

class KvPool {
public:
    // Blocks for caches of such a model. limit: the most blocks at a time; 0: no limit.
    // Throws Error on a limit below 0 and where a size of the model is none.
    explicit KvPool(const TransformerConfig& config, int limit = 0);

    // Called when a block is needed, all are in use and no more are allowed. True: something was
    // given back, try again. It must not take blocks.
    void when_full(std::function<bool()> give_back) { give_back_ = std::move(give_back); }

    // A block with one owner. Throws Error when the limit is reached.
    int take();
    void share(int block);    // one owner more
    void release(int block);  // one owner less
    int owners(int block) const;
    // Zeroed once: padding stays zero, and attention may read (and ignore) positions not written
    // yet. Untouched memory costs nothing.
    float* memory(int block);

    // Adds free blocks. The limit does not count: it is what the caller wants to hold at least.
    void reserve(std::size_t blocks);

    int limit() const { return limit_; }
    int used() const { return to_int(blocks_.size() - free_.size()); }  // with an owner
    std::int64_t block_floats() const { return block_floats_; }
    std::int64_t block_bytes() const { return block_floats_ * to_int(sizeof(float)); }
    std::int64_t bytes() const { return length_of(blocks_) * block_bytes(); }  // free ones too
    // Are these blocks as a cache of such a model needs them: layers, heads, their size and type?
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
