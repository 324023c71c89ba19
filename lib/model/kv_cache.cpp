#include "lib/model/kv_cache.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"

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
    heads_ = config.cached_heads();
    head_size_ = padded(config.head_size());
    type_ = config.cache_type;
    static std::atomic<int> pools{0};
    number_ = pools++;
    records_copies_ = config.kept_kv_heads > 0;
    block_floats_ = std::int64_t{2} * layers_ * heads_ * head_size_ * KvCache::block_tokens *
                    bytes_of(type_) / 4;
}

bool KvPool::fits(const TransformerConfig& config) const {
    return layers_ == config.n_layer && heads_ == config.cached_heads() &&
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

void KvPool::copy(int from, int to) {
    std::copy_n(memory(from), block_floats_, memory(to));
    if (records_copies_) copies_.emplace_back(from, to);
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
    std::sort(free_.rbegin(), free_.rend());  // the lowest is taken next
}

void KvCache::check_type(WeightType type) {
    if (type != WeightType::f32 && type != WeightType::f16)
        throw Error("kv cache: keys and values are kept as f32 or f16, not as " +
                    std::string(names_of(type).option));
}

// The memory for this many tokens is reserved at the start. A longer context, such as 131,072
// tokens, grows block by block.
constexpr int reserved_tokens = 8192;

KvCache::KvCache(const TransformerConfig& config, int capacity)
    : KvCache(std::make_shared<KvPool>(config), config, capacity) {
    const auto blocks =
        index((std::min(capacity_, reserved_tokens) + block_tokens - 1) / block_tokens);
    pool_->reserve(blocks);
    blocks_.reserve(blocks);
    memory_.reserve(blocks);
}

KvCache::KvCache(std::shared_ptr<KvPool> pool, const TransformerConfig& config, int capacity)
    : pool_(std::move(pool)) {
    if (!pool_ || !pool_->fits(config))
        throw Error(
            "kv cache: the pool was made for another model; make one from this model's "
            "configuration");
    if (capacity < 0)
        throw Error("kv cache: a capacity of " + std::to_string(capacity) +
                    " tokens, expected 1 or more, or 0 for the model's context");
    layers_ = config.n_layer;
    heads_ = config.cached_heads();
    padded_head_size_ = padded(config.head_size());
    type_ = config.cache_type;
    capacity_ = capacity > 0 ? std::min(capacity, config.n_positions) : config.n_positions;
}

void KvCache::begin_with(std::span<const int> blocks, int length, int more) {
    if (!pool_ || length < 0 || more < 0 || length > capacity_ - more ||
        count(blocks) != block_count(length + more))
        throw Error("kv cache: " + std::to_string(blocks.size()) + " blocks for " +
                    std::to_string(length + more) + " tokens, expected " +
                    std::to_string(block_tokens) + " tokens in each but the last, and " +
                    std::to_string(capacity_) + " in all at most");
    for (const int block : blocks) pool_->share(block);
    truncate(0);
    staged_rows_ = 0;  // of a tree that an empty cache read
    blocks_.assign(blocks.begin(), blocks.end());
    for (const int block : blocks) memory_.push_back(pool_->memory(block));
    length_ = length;
}

KvCache::KvCache(const KvCache& other)
    : pool_(other.pool_),
      layers_(other.layers_),
      heads_(other.heads_),
      padded_head_size_(other.padded_head_size_),
      type_(other.type_),
      length_(other.length_),
      capacity_(other.capacity_) {
    // Not the blocks that make_room() added for tokens to come: both would write to them.
    const std::span<const int> own = other.block_numbers();
    blocks_.assign(own.begin(), own.end());
    memory_.assign(other.memory_.begin(), other.memory_.begin() + count(own));
    for (const int block : blocks_) pool_->share(block);
}

KvCache::KvCache(KvCache&& other) noexcept { *this = std::move(other); }

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
    layers_ = other.layers_;
    heads_ = other.heads_;
    padded_head_size_ = other.padded_head_size_;
    type_ = other.type_;
    length_ = std::exchange(other.length_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    staged_ = std::exchange(other.staged_, {});
    staged_rows_ = std::exchange(other.staged_rows_, 0);
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
    if (length < length_) staged_rows_ = 0;
    length_ = length;
    drop_blocks_from(index(block_count(length)));
}

bool KvCache::fits(const TransformerConfig& config) const {
    return layers_ == config.n_layer && heads_ == config.cached_heads() &&
           padded_head_size_ == padded(config.head_size()) && type_ == config.cache_type &&
           capacity_ <= config.n_positions;
}

void KvCache::make_room(int tokens) {
    if (tokens < 0)
        throw Error("kv cache: room for " + std::to_string(tokens) + " tokens, expected 0 or more");
    if (tokens > capacity_ - length_) {
        throw Error("context is full: " + std::to_string(length_) + " tokens in the cache and " +
                    std::to_string(tokens) + " new ones, but it is limited to " +
                    std::to_string(capacity_) + "; shorten the prompt or generate fewer tokens");
    }
    // If the block of the next token has other owners, write to a copy of it.
    if (tokens > 0 && tail_is_shared()) {
        const auto tail = index(length_ / block_tokens);
        const int copy = pool_->take();
        pool_->copy(blocks_[tail], copy);
        pool_->release(blocks_[tail]);
        blocks_[tail] = copy;
        memory_[tail] = pool_->memory(copy);
    }
    while (count(blocks_) < block_count(length_ + tokens)) {
        blocks_.push_back(pool_->take());
        memory_.push_back(pool_->memory(blocks_.back()));
    }
}

bool KvCache::tail_is_shared() const {
    return length_ % block_tokens != 0 && pool_->owners(blocks_[index(length_ / block_tokens)]) > 1;
}

int KvCache::blocks_to_take(int tokens) const {
    check_at_least("kv cache: number of new tokens", tokens, 0);
    if (tokens == 0) return 0;
    const int needed_blocks = block_count(length_ + std::min(tokens, capacity_ - length_));
    return std::max(needed_blocks - count(blocks_), 0) + (tail_is_shared() ? 1 : 0);
}

void KvCache::advance(int tokens) {
    if (tokens < 0 || tokens > count(blocks_) * block_tokens - length_)
        throw Error("kv cache: " + std::to_string(tokens) + " tokens after " +
                    std::to_string(length_) +
                    ", more than there is room for; call make_room first");
    length_ += tokens;
    staged_rows_ = 0;
}

void KvCache::stage_rows(int rows) {
    check_at_least("kv cache: rows of a tree", rows, 0);
    staged_rows_ = rows;
    const std::size_t floats =
        std::size_t{2} * index(rows) * index(layers_) * index(heads_) * index(padded_head_size_);
    if (staged_.size() < floats) staged_.resize(floats);
}

float* KvCache::staged(int row, int layer, int head) {
    const std::size_t place =
        (index(row) * index(layers_) + index(layer)) * index(heads_) + index(head);
    return staged_.data() + place * 2 * index(padded_head_size_);
}

void KvCache::stage(int row, int layer, int head, int size, const float* key, const float* value) {
    float* to = staged(row, layer, head);
    std::copy_n(key, size, to);
    std::copy_n(value, size, to + padded_head_size_);
}

void KvCache::write(int position, int layer, int head, int size, const float* key,
                    const float* value) {
    const int block = position / block_tokens, u = position % block_tokens;
    const auto write_as = [&]<class Element>(const Element&) {
        auto* keys = static_cast<Element*>(at(block, layer, 0, head)) + u;
        auto* values = static_cast<Element*>(at(block, layer, 1, head));
        simd::copy(value, size, values + u * padded_head_size_);
        Element converted[simd::lane_count];  // convert these together, then write each to its row
        for (int d = 0; d < size; d += simd::lane_count) {
            const int n = std::min(simd::lane_count, size - d);
            simd::copy(key + d, n, converted);
            for (int i = 0; i < n; ++i) keys[(d + i) * block_tokens] = converted[i];
        }
    };
    if (type_ == WeightType::f16) write_as(simd::F16{});
    else write_as(float{});
}

void KvCache::commit(std::span<const int> rows) {
    for (const int row : rows)
        if (row < 0 || row >= staged_rows_)
            throw Error("kv cache: cannot keep row " + std::to_string(row) +
                        " of a tree, of which " + std::to_string(staged_rows_) +
                        " rows are stored");
    const int size = padded_head_size_;  // the padding after a head's components is zeros
    make_room(count(rows));
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (int layer = 0; layer < layers_; ++layer)
            for (int head = 0; head < heads_; ++head) {
                const float* key = staged(rows[i], layer, head);
                write(length_ + to_int(i), layer, head, size, key, key + size);
            }
    advance(count(rows));
}

float KvCache::element(const void* matrix, int i) const {
    if (type_ == WeightType::f16) return from_f16(static_cast<const simd::F16*>(matrix)[i].bits);
    return static_cast<const float*>(matrix)[i];
}

float KvCache::key(int position, int layer, int head, int d) const {
    check_component(position, d);
    return element(keys(position / block_tokens, layer, head),
                   d * block_tokens + position % block_tokens);
}

float KvCache::value(int position, int layer, int head, int d) const {
    check_component(position, d);
    return element(values(position / block_tokens, layer, head),
                   position % block_tokens * padded_head_size_ + d);
}

void KvCache::check_component(int position, int d) const {
    if (position < 0 || d < 0 || d >= padded_head_size_)
        throw Error("kv cache: there is no component " + std::to_string(d) + " at position " +
                    std::to_string(position));
}

void* KvCache::at(int block, int layer, int values, int head) const {
    if (block < 0 || block >= count(blocks_) || layer < 0 || layer >= layers_ || head < 0 ||
        head >= heads_)
        throw Error("kv cache: there is no block " + std::to_string(block) + ", layer " +
                    std::to_string(layer) + ", head " + std::to_string(head));
    const std::int64_t matrix = std::int64_t{block_tokens} * padded_head_size_;
    // bytes_of(type_) / 4 converts from elements to floats, the pool's unit.
    return memory_[index(block)] +
           ((std::int64_t{2} * layer + values) * heads_ + head) * matrix * bytes_of(type_) / 4;
}

std::int64_t KvCache::bytes_per_token(const TransformerConfig& config) {
    return std::int64_t{2} * config.n_layer * config.kv_size() * bytes_of(config.cache_type);
}

std::int64_t KvCache::bytes() const {
    if (!pool_) return 0;
    return length_of(blocks_) * pool_->block_bytes();
}

std::int64_t KvCache::pool_bytes() const {
    if (!pool_) return 0;
    return pool_->bytes();
}

}  // namespace tbt
