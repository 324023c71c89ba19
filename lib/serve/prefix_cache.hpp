// One cache of keys and values for all sequences of a model: a pool of pages with a limit, and a
// tree of what they hold. A sequence starts after what is known of its beginning; when it is over,
// its pages stay until somebody needs the memory.
//
// It belongs to one loaded model, so everything that decides the bits of a page (weights, how they
// are kept, how keys and values are kept) is the same for all of them, and tokens are the only key.
// No result depends on what is known, nor on the limit. Not for several threads at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"
#include "lib/serve/prefix_tree.hpp"

namespace tbt {

class PrefixCache {
public:
    static constexpr int page_tokens = KvCache::block_tokens;

    // pages: the most at a time, running sequences and what is remembered together; 0: no limit.
    // remembers: false turns the tree off, and only the pool is left. The model must outlive it.
    explicit PrefixCache(Transformer& model, int pages = 0, bool remembers = true);
    ~PrefixCache();
    PrefixCache(const PrefixCache&) = delete;
    PrefixCache& operator=(const PrefixCache&) = delete;

    // How many pages so many bytes hold. Throws Error when it is none.
    static int pages_in(std::int64_t bytes, const TransformerConfig& config);

    // A sequence in this pool that has read the longest known beginning of these ids, but not the
    // last of them: a cache keeps keys and values, and no logits.
    KvCache start(std::span<const int> ids);
    // How long that beginning would be.
    int known(std::span<const int> ids);
    // Remembers a sequence: its cache holds these ids, or a beginning of them.
    void remember(std::span<const int> ids, const KvCache& cache);
    void forget_all() { tree_.forget_all(); }

    // Can so many pages be taken, by forgetting what nobody uses?
    bool has_room(int pages) const;

    Transformer& model() const { return *model_; }
    int limit() const { return pool_->limit(); }      // pages; 0: none
    int used() const { return pool_->used(); }        // pages of running sequences and the tree
    int remembered() const { return tree_.pages(); }  // pages of the tree
    std::int64_t bytes() const { return pool_->bytes(); }  // allocated
    std::int64_t page_bytes() const { return pool_->block_bytes(); }

private:
    KnownPrefix find(std::span<const int> ids);

    Transformer* model_;
    std::shared_ptr<KvPool> pool_;
    PrefixTree tree_;
    bool remembers_;
};

}  // namespace tbt
