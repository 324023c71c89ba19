// A tree that finds the pages of keys and values for the longest cached prefix of a text.
//
// The keys and values of a token depend only on the token and those before it. So texts with the
// same beginning can share pages. The tree has a node for each page. A node has the page's tokens,
// up to 64; the path from the root to the node has all tokens before them. A page that is not full
// has no children. (chapters/27_prefix_cache/plain_prefix_tree.hpp is its definition.)
//
// The tree is an owner of each of its pages; sequences may own them, too. When the pool is full,
// the tree drops the least recently used leaf whose page has no other owner.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// The longest cached prefix of a text: its first `tokens` tokens, in these pages. The last page may
// have other tokens after these; a KvCache that begins with it copies the page before it writes.
struct KnownPrefix {
    std::vector<int> pages;
    int tokens = 0;
};

class PrefixTree {
public:
    // page_tokens: the number of tokens in a full page; KvCache::block_tokens for a KvCache.
    PrefixTree(std::shared_ptr<KvPool> pool, int page_tokens);
    ~PrefixTree();
    PrefixTree(const PrefixTree&) = delete;
    PrefixTree& operator=(const PrefixTree&) = delete;

    // The longest cached prefix of these ids. Its pages count as used now. If several paths have
    // equally many of the ids, it takes the first one in the order of their tokens. The caller must
    // share the pages before it takes anything from the pool.
    KnownPrefix find(std::span<const int> ids);
    // Adds a text: the keys and values of these ids are in these pages. Where the tree already has
    // a page for some of the ids, it keeps its own; it becomes an owner of the others. All of them
    // count as used now. Throws Error if the number of pages is not the number that the ids fill.
    void put(std::span<const int> ids, std::span<const int> pages);
    // Drops a leaf: the least recently used one whose page has no other owner, or if there is none,
    // the least recently used one of all. Returns false if the tree is empty.
    bool forget_one();
    void forget_all();

    int pages() const { return pages_; }
    int idle() const;  // pages without another owner, which forget_one() can free

private:
    struct Node;
    // Siblings in the order of their tokens; no sibling's tokens are a prefix of another's.
    using Children = std::map<std::vector<int>, Node>;
    struct Node {
        int page = -1;
        std::uint64_t used = 0;
        Node* parent = nullptr;
        Children children = {};
        Children::iterator place = {};  // in its parent's children
    };

    void touch(Node& node, std::uint64_t now);
    Node& child_for(Node& node, std::span<const int> chunk, int page);
    void drop(Node& leaf);
    bool is_idle(const Node& node) const { return pool_->owners(node.page) == 1; }

    std::shared_ptr<KvPool> pool_;
    int page_tokens_;
    Node root_;
    std::set<std::pair<std::uint64_t, Node*>> leaves_;  // in the order of their last use
    std::uint64_t clock_ = 0;
    int pages_ = 0;
};

// Prefix caching: one KV cache for all sequences of a model. It has a pool of pages (blocks of
// keys and values) with a limit, and a tree that finds pages by their tokens. A new sequence reuses
// the pages of the longest cached prefix of its text. When a sequence ends, its pages stay cached
// until another sequence needs the memory.
//
// A PrefixCache belongs to one loaded model. So everything that determines the bits of a page
// (weights, their type, the type of keys and values) is the same for all pages, and the tokens are
// the only key. Results do not depend on what is cached or on the limit. Use it in one thread at a
// time.

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
    // last: the model must still read at least one token, since logits are not cached. `capacity`
    // as that of a KvCache.
    KvCache start(std::span<const int> ids, int capacity = 0);
    // The length of that prefix, in tokens.
    int known(std::span<const int> ids, int capacity = 0);
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
    // The ids as the tree has them. With longrope, short texts have other keys and values than long
    // ones, so their ids are written in another way: as −1 − id.
    std::vector<int> key_of(std::span<const int> ids, int capacity) const;
    KnownPrefix find(std::span<const int> ids, int capacity);

    Transformer* model_;
    std::shared_ptr<KvPool> pool_;
    PrefixTree tree_;
    bool remembers_;
};

}  // namespace tbt
