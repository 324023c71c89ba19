// With which nodes of the vocabulary's tree a part of a grammar can be left, for how many tokens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "chapters/13_json_grammar/token_costs.hpp"

namespace tbt {

struct TokenExit {
    static constexpr int root = -1;  // of the tree: no token is begun
    int node, tokens;
};
using TokenExits = std::vector<TokenExit>;

// A sum of tokens; never and more is never.
inline int plus(int a, int b) { return std::min(a + b, TokenCosts::never); }

inline void add_exit(TokenExits& exits, int node, int tokens) {
    for (TokenExit& e : exits) {
        if (e.node != node) continue;
        e.tokens = std::min(e.tokens, tokens);
        return;
    }
    exits.push_back({node, tokens});
}

// The root and the cheapest. Whatever is cut from the exits of a place is cut from those of places
// before it as well: all that are better here are better there.
inline void cut_exits(TokenExits& exits) {
    constexpr int root = TokenExit::root;
    constexpr std::size_t most_exits = 10;  // beside the root
    std::sort(exits.begin(), exits.end(), [](const TokenExit& a, const TokenExit& b) {
        if ((a.node == root) != (b.node == root)) return a.node == root;
        return a.tokens != b.tokens ? a.tokens < b.tokens : a.node < b.node;
    });
    if (exits.empty()) return;
    if (exits[0].node == root) {
        const int most = exits[0].tokens + 1;
        std::erase_if(exits, [&](const TokenExit& e) { return e.tokens > most; });
    }
    const std::size_t most = most_exits + (exits[0].node == root ? 1 : 0);
    if (exits.size() > most) exits.resize(most);
}

}  // namespace tbt
