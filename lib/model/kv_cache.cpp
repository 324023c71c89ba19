#include "lib/model/kv_cache.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/error.hpp"

namespace tbt {

// Blocks with a count of owners each; a block without owners is free.
class KvPool {
public:
    explicit KvPool(std::int64_t block_floats) : block_floats_(block_floats) {}

    int take() {
        if (free_.empty()) grow();
        const int block = free_.back();
        free_.pop_back();
        owners_[static_cast<std::size_t>(block)] = 1;
        return block;
    }
    void share(int block) { ++owners_[static_cast<std::size_t>(block)]; }
    void release(int block) {
        if (--owners_[static_cast<std::size_t>(block)] == 0) free_.push_back(block);
    }
    bool shared(int block) const { return owners_[static_cast<std::size_t>(block)] > 1; }
    // Zeroed once: padding must stay zero, and attention may read (and ignore) positions not
    // written yet. A short text never touches the last blocks, and untouched memory costs nothing.
    void grow(std::size_t blocks = 1) {
        memory_.push_back(allocate_zeros(static_cast<std::int64_t>(blocks) * block_floats_));
        for (std::size_t i = 0; i < blocks; ++i) {
            blocks_.push_back(memory_.back().get() + static_cast<std::int64_t>(i) * block_floats_);
            owners_.push_back(0);
            free_.push_back(static_cast<int>(blocks_.size()) - 1);
        }
        std::sort(free_.rbegin(), free_.rend());  // lower blocks are taken first
    }
    float* memory(int block) { return blocks_[static_cast<std::size_t>(block)]; }
    std::int64_t block_floats() const { return block_floats_; }
    std::size_t size() const { return blocks_.size(); }

private:
    std::int64_t block_floats_;
    std::vector<AlignedFloats> memory_;
    std::vector<float*> blocks_;
    std::vector<int> owners_;
    std::vector<int> free_;
};

KvCache::KvCache(const GptConfig& config, int capacity) {
    heads_ = config.n_head;
    padded_head_size_ = (config.n_embd / config.n_head + 15) / 16 * 16;
    capacity_ = capacity > 0 ? std::min(capacity, config.n_positions) : config.n_positions;
    const std::int64_t block_floats =
        std::int64_t{2} * config.n_layer * heads_ * padded_head_size_ * block_tokens;
    pool_ = std::make_shared<KvPool>(block_floats);
    const auto blocks = static_cast<std::size_t>((capacity_ + block_tokens - 1) / block_tokens);
    pool_->grow(blocks);
    blocks_.reserve(blocks);
    memory_.reserve(blocks);
}

KvCache::KvCache(const KvCache& other)
    : pool_(other.pool_),
      blocks_(other.blocks_),
      memory_(other.memory_),
      heads_(other.heads_),
      padded_head_size_(other.padded_head_size_),
      length_(other.length_),
      capacity_(other.capacity_) {
    for (const int block : blocks_) pool_->share(block);
}

KvCache& KvCache::operator=(const KvCache& other) {
    if (this != &other) *this = KvCache(other);
    return *this;
}

KvCache& KvCache::operator=(KvCache&& other) noexcept {
    if (this == &other) return *this;
    drop_blocks_from(0);
    pool_ = std::move(other.pool_);
    blocks_ = std::exchange(other.blocks_, {});
    memory_ = std::exchange(other.memory_, {});
    heads_ = other.heads_;
    padded_head_size_ = other.padded_head_size_;
    length_ = std::exchange(other.length_, 0);
    capacity_ = other.capacity_;
    return *this;
}

KvCache::~KvCache() { drop_blocks_from(0); }

void KvCache::drop_blocks_from(std::size_t first) {
    for (std::size_t i = first; i < blocks_.size(); ++i) pool_->release(blocks_[i]);
    if (first < blocks_.size()) {
        blocks_.resize(first);
        memory_.resize(first);
    }
}

void KvCache::truncate(int length) {
    if (length < 0 || length > length_) {
        throw Error("kv cache: cannot truncate " + std::to_string(length_) + " tokens to " +
                    std::to_string(length));
    }
    length_ = length;
    drop_blocks_from(static_cast<std::size_t>((length + block_tokens - 1) / block_tokens));
}

void KvCache::make_room(int tokens) {
    if (tokens > capacity_ - length_) {
        throw Error("context is full: " + std::to_string(length_) + " tokens in the cache and " +
                    std::to_string(tokens) + " new ones, but it holds " +
                    std::to_string(capacity_) + "; shorten the prompt or generate fewer tokens");
    }
    // The block that the next token goes to may belong to forks as well: write to a copy.
    if (length_ % block_tokens != 0 && pool_->shared(blocks_.back())) {
        const int copy = pool_->take();
        std::copy_n(memory_.back(), pool_->block_floats(), pool_->memory(copy));
        pool_->release(blocks_.back());
        blocks_.back() = copy;
        memory_.back() = pool_->memory(copy);
    }
    const auto needed =
        static_cast<std::size_t>((length_ + tokens + block_tokens - 1) / block_tokens);
    while (blocks_.size() < needed) {
        blocks_.push_back(pool_->take());
        memory_.push_back(pool_->memory(blocks_.back()));
    }
}

float* KvCache::at(int block, int half_layer, int head) {
    const std::int64_t matrix = std::int64_t{block_tokens} * padded_head_size_;
    return memory_[static_cast<std::size_t>(block)] +
           (std::int64_t{half_layer} * heads_ + head) * matrix;
}

std::int64_t KvCache::bytes_per_token(const GptConfig& config) {
    return std::int64_t{2} * config.n_layer * config.n_embd *
           static_cast<std::int64_t>(sizeof(float));
}

std::int64_t KvCache::bytes() const {
    return static_cast<std::int64_t>(blocks_.size()) * pool_->block_floats() *
           static_cast<std::int64_t>(sizeof(float));
}

std::int64_t KvCache::pool_bytes() const {
    return static_cast<std::int64_t>(pool_->size()) * pool_->block_floats() *
           static_cast<std::int64_t>(sizeof(float));
}

}  // namespace tbt
