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

#include "lib/model/kv_pool.hpp"

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

}  // namespace tbt
