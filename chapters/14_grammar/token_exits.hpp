// With which nodes of the vocabulary's tree a part of a grammar can be left, for how many tokens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chapters/13_json_grammar/flat_map.hpp"
#include "chapters/13_json_grammar/token_costs.hpp"
#include "chapters/13_json_grammar/token_trie.hpp"
#include "chapters/14_grammar/plus.hpp"
#include "lib/index.hpp"

namespace tbt {

struct TokenExit {
    static constexpr int root = -1;  // of the tree: no token is begun
    int node, tokens;
};
using TokenExits = std::vector<TokenExit>;

inline void add_exit(TokenExits& exits, int node, int tokens) {
    for (TokenExit& e : exits) {
        if (e.node != node) continue;
        e.tokens = std::min(e.tokens, tokens);
        return;
    }
    exits.push_back({node, tokens});
}

// Which of many exits are worth keeping.
class ExitCutter {
public:
    explicit ExitCutter(const TokenTrie& trie) : trie_(&trie) {}

    // The root and the cheapest that no other one covers. Whatever is cut from the exits of a place
    // is cut from those of places before it as well: all that are better here are better there.
    void cut(TokenExits& exits) {
        std::sort(exits.begin(), exits.end(), [&](const TokenExit& a, const TokenExit& b) {
            if ((a.node == root) != (b.node == root)) return a.node == root;
            if (a.tokens != b.tokens) return a.tokens < b.tokens;
            const int size_a = below(a.node), size_b = below(b.node);
            return size_a != size_b ? size_a > size_b : a.node < b.node;
        });
        const bool ends = !exits.empty() && exits[0].node == root;
        const std::size_t most = most_exits + (ends ? 1 : 0);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < exits.size() && kept < most; ++i) {
            const TokenExit e = exits[i];
            if (ends && e.tokens > exits[0].tokens + 1) continue;
            const auto covered = [&](const TokenExit& by) {
                return by.tokens <= e.tokens && covers(by.node, e.node);
            };
            const auto end = exits.begin() + static_cast<std::ptrdiff_t>(kept);
            if (std::none_of(exits.begin(), end, covered)) exits[kept++] = e;
        }
        exits.resize(kept);
    }

    // Does every token that ends at node b or behind it do so at a, or behind it, as well?
    bool covers(int a, int b) {
        if (below(b) > small) return false;
        const auto key =
            std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
        if (const int known = known_.find(key); known >= 0) return known == 1;
        std::vector<int> like{a};  // by depth below b: the node below a
        bool all =
            a == root || trie_->nodes()[index(b)].token < 0 || trie_->nodes()[index(a)].token >= 0;
        for (int i = b + 1; i < trie_->end(b) && all; ++i) {
            const TokenTrie::Node& n = trie_->nodes()[index(i)];
            const std::size_t depth = index(n.depth - trie_->depth(b));
            like.resize(depth);
            like.push_back(trie_->child(like.back(), n.byte));
            all =
                like.back() >= 0 && (n.token < 0 || trie_->nodes()[index(like.back())].token >= 0);
        }
        known_.set(key, all ? 1 : 0);
        return all;
    }

private:
    static constexpr int root = TokenExit::root;
    static constexpr std::size_t most_exits = 10;  // beside the root
    static constexpr int small = 64;  // nodes with more below them are not looked at so closely

    int below(int node) const { return trie_->end(node) - node; }

    const TokenTrie* trie_;
    WordMap known_;
};

}  // namespace tbt
