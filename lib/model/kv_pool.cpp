#include "lib/model/kv_pool.hpp"

#include <algorithm>
#include <string>

#include "lib/core/error.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

// A pool with a limit allocates this many blocks at a time: it will be used up to its limit.
constexpr int blocks_at_a_time = 16;

static int padded(int head_size) { return (head_size + 15) / 16 * 16; }

// Checks the sizes of a configuration that a cache depends on.
static void check_sizes(const TransformerConfig& config) {
    constexpr int most = 1 << 24;
    for (const int size : {config.n_layer, config.n_head, config.n_embd, config.n_positions}) {
        if (size < 1 || size > most)
            throw Error("kv cache: a size of the model is " + std::to_string(size) +
                        ", expected 1 to " + std::to_string(most));
    }
    KvCache::check_type(config.cache_type);
    if (config.head_size() < 1 || config.n_head % config.kv_heads() != 0 ||
        config.kv_size() > std::int64_t{1} << 26)
        throw Error("kv cache: heads of " + std::to_string(config.head_size()) + " components, " +
                    std::to_string(config.kv_heads()) + " of keys for " +
                    std::to_string(config.n_head) + " of queries, expected a divisor");
    if (config.architecture.head_size == 0 && config.n_embd % config.n_head != 0)
        throw Error("kv cache: n_embd is " + std::to_string(config.n_embd) +
                    ", expected a multiple of n_head, " + std::to_string(config.n_head));
}

KvPool::KvPool(const TransformerConfig& config, int limit) : limit_(limit) {
    check_sizes(config);
    if (limit < 0)
        throw Error("kv pool: a limit of " + std::to_string(limit) +
                    " blocks, expected 1 or more, or 0 for no limit");
    layers_ = config.n_layer;
    heads_ = config.kv_heads();
    head_size_ = padded(config.head_size());
    type_ = config.cache_type;
    block_floats_ = std::int64_t{2} * layers_ * heads_ * head_size_ * KvCache::block_tokens *
                    bytes_of(type_) / 4;
}

bool KvPool::fits(const TransformerConfig& config) const {
    return layers_ == config.n_layer && heads_ == config.kv_heads() &&
           head_size_ == padded(config.head_size()) && type_ == config.cache_type;
}

int KvPool::take() {
    while (free_.empty() && limit_ > 0 && count(blocks_) >= limit_)
        if (!give_back_ || !give_back_())
            throw Error("kv pool: all " + std::to_string(limit_) +
                        " blocks are in use; end a sequence, or give the cache more memory");
    if (free_.empty())
        reserve(limit_ > 0 ? index(std::min(limit_ - count(blocks_), blocks_at_a_time)) : 1);
    const int block = free_.back();
    free_.pop_back();
    owners_[index(block)] = 1;
    return block;
}

void KvPool::check(int block) const {
    if (block < 0 || block >= count(blocks_) || owners_[index(block)] == 0)
        throw Error("kv pool: block " + std::to_string(block) + " has no owner");
}

void KvPool::share(int block) {
    check(block);
    ++owners_[index(block)];
}

void KvPool::release(int block) {
    check(block);
    if (--owners_[index(block)] == 0) free_.push_back(block);
}

int KvPool::owners(int block) const {
    check(block);
    return owners_[index(block)];
}

float* KvPool::memory(int block) {
    check(block);
    return blocks_[index(block)];
}

void KvPool::reserve(std::size_t blocks) {
    constexpr std::int64_t most = std::int64_t{1} << 59;
    const auto n = static_cast<std::int64_t>(blocks);
    memory_.push_back(allocate_zeros(n > most / block_floats_ ? most : n * block_floats_));
    for (std::size_t i = 0; i < blocks; ++i) {
        blocks_.push_back(memory_.back().get() + static_cast<std::int64_t>(i) * block_floats_);
        owners_.push_back(0);
        free_.push_back(count(blocks_) - 1);
    }
    std::sort(free_.rbegin(), free_.rend());  // lower blocks are taken first
}

}  // namespace tbt
