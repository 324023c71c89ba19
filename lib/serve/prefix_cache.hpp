// Prefix caching: one KV cache for all sequences of a model. It has a pool of pages (blocks of
// keys and values) with a limit, and a tree that finds pages by their tokens. A new sequence reuses
// the pages of the longest cached prefix of its text. When a sequence ends, its pages stay cached
// until another sequence needs the memory.
//
// A PrefixCache belongs to one loaded model. So everything that determines the bits of a page
// (weights, their type, the type of keys and values) is the same for all pages, and the tokens are
// the only key. Results do not depend on what is cached or on the limit. Use it in one thread at a
// time.
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

    // pages: the maximum number of pages, of running sequences and the tree together; 0: no limit.
    // remembers: false turns the tree off, so nothing is cached and only the pool is used. The
    // model must outlive the cache.
    explicit PrefixCache(Transformer& model, int pages = 0, bool remembers = true);
    ~PrefixCache();
    PrefixCache(const PrefixCache&) = delete;
    PrefixCache& operator=(const PrefixCache&) = delete;

    // The number of pages that fit into this many bytes. Throws Error if not even one does.
    static int pages_in(std::int64_t bytes, const TransformerConfig& config);

    // A new sequence in this pool with the longest cached prefix of these ids, at most all but the
    // last: the model must still read at least one token, since logits are not cached.
    KvCache start(std::span<const int> ids);
    // The length of that prefix, in tokens.
    int known(std::span<const int> ids);
    // Adds a sequence to the tree. `cache` has these ids, or a prefix of them.
    void remember(std::span<const int> ids, const KvCache& cache);
    void forget_all() { tree_.forget_all(); }

    // Can this many pages be taken, if cached pages that no sequence uses are dropped?
    bool has_room(int pages) const;

    Transformer& model() const { return *model_; }
    int limit() const { return pool_->limit(); }      // pages; 0: no limit
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
