#include "lib/serve/prefix_cache.hpp"

#include <algorithm>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

PrefixCache::PrefixCache(Transformer& model, int pages, bool remembers)
    : model_(&model),
      pool_(std::make_shared<KvPool>(model.config(), pages)),
      tree_(pool_, page_tokens),
      remembers_(remembers) {
    pool_->when_full([this] { return tree_.forget_one(); });
}

// Sequences may outlive this object and keep the pool alive, so the callback is removed.
PrefixCache::~PrefixCache() { pool_->when_full({}); }

int PrefixCache::pages_in(std::int64_t bytes, const TransformerConfig& config) {
    const std::int64_t page = KvPool(config).block_bytes();
    if (bytes < page)
        throw Error("prefix cache: " + std::to_string(bytes) + " bytes, expected " +
                    std::to_string(page) + " or more: a page of " + std::to_string(page_tokens) +
                    " tokens");
    return to_int(std::min<std::int64_t>(bytes / page, 1 << 30));
}

KnownPrefix PrefixCache::find(std::span<const int> ids) {
    if (!remembers_ || ids.empty()) return {};
    return tree_.find(ids.first(std::min(ids.size() - 1, index(model_->config().n_positions))));
}

KvCache PrefixCache::start(std::span<const int> ids) {
    KvCache cache(pool_, model_->config());
    const KnownPrefix prefix = find(ids);
    cache.begin_with(prefix.pages, prefix.tokens);
    return cache;
}

int PrefixCache::known(std::span<const int> ids) { return find(ids).tokens; }

void PrefixCache::remember(std::span<const int> ids, const KvCache& cache) {
    if (!cache.shares(*pool_) || count(ids) < cache.length())
        throw Error("prefix cache: " + std::to_string(ids.size()) + " tokens and a cache of " +
                    std::to_string(cache.length()) +
                    ", expected one that start() gave, with no more tokens than these");
    if (remembers_) tree_.put(ids.first(index(cache.length())), cache.block_numbers());
}

bool PrefixCache::has_room(int pages) const {
    const int free = limit() - used();
    return limit() == 0 || pages <= free || pages <= free + tree_.idle();
}

}  // namespace tbt
