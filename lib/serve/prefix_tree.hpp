// Which pages of keys and values hold which beginnings of texts.
//
// The keys and values of a token depend on the tokens before it and on nothing after it. So texts
// that begin alike can share pages. The tree has a node for each page: its tokens, up to 64, and
// the path from the root to it are all tokens before. A page that is not full has no children.
// (chapters/27_prefix_cache/plain_prefix_tree.hpp is its definition.)
//
// The tree is one owner of each of its pages; sequences are others. When the pool is full, the leaf
// that was used least recently goes first, of those that nobody else owns.
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

// The longest beginning of a text that is known: `tokens` of it, in these pages. The last page may
// hold other tokens after those; a cache that begins with it copies it before it writes.
struct KnownPrefix {
    std::vector<int> pages;
    int tokens = 0;
};

class PrefixTree {
public:
    // page_tokens: of a full page; a cache's pages have KvCache::block_tokens.
    PrefixTree(std::shared_ptr<KvPool> pool, int page_tokens);
    ~PrefixTree();
    PrefixTree(const PrefixTree&) = delete;
    PrefixTree& operator=(const PrefixTree&) = delete;

    // The longest known beginning of these ids, where several are as long the first in order of
    // their tokens. It counts as used now. Share the pages before anything is taken from the pool.
    KnownPrefix find(std::span<const int> ids);
    // From now on these ids are known: their keys and values are in these pages. Pages that hold a
    // part of them already stay, the others get an owner more. They count as used now.
    // Throws Error unless the pages are as many as the ids fill.
    void put(std::span<const int> ids, std::span<const int> pages);
    // Forgets a leaf: of those whose page nobody else owns the least recently used, or if there is
    // none, of all. False: the tree is empty.
    bool forget_one();
    void forget_all();

    int pages() const { return pages_; }
    int idle() const;  // pages that nobody else owns: forget_one() comes to each of them

private:
    struct Node;
    // Siblings in order of their tokens; none begins with all tokens of another.
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
    std::set<std::pair<std::uint64_t, Node*>> leaves_;  // in order of their last use
    std::uint64_t clock_ = 0;
    int pages_ = 0;
};

}  // namespace tbt
