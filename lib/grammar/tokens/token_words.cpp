#include "lib/grammar/tokens/token_words.hpp"

#include "lib/core/index.hpp"
#include "lib/grammar/tokens/token_trie.hpp"

namespace tbt {

TokenWords::TokenWords(const TokenTrie& trie, int node, const ByteSet& bytes)
    : tokens(trie.vocabulary()), of_length(longest + 1, -1) {
    const int depth = trie.depth(node), deepest = depth + longest;
    const auto add = [&](int first, int last) {
        for (const int token : trie.tokens(first, last)) {
            tokens.set(token);
            of_length[trie.bytes(token).size() - index(depth)] = token;
        }
    };
    int inside = node + 1;  // the nodes from here to i stay within the set
    for (int i = inside; i < trie.end(node);) {
        const TokenTrie::Node& n = trie.nodes()[index(i)];
        if (bytes[n.byte] && n.depth <= deepest) {
            ++i;
            continue;
        }
        add(inside, i);
        exits.push_back(i);
        inside = i = n.end;
    }
    add(inside, trie.end(node));
    if (const int all = tokens.count(); all > 0 && all <= few) list(trie, depth);
}

void TokenWords::list(const TokenTrie& trie, int depth) {
    std::vector<std::vector<std::int32_t>> by_length(longest + 1);
    tokens.each(
        [&](int token) { by_length[trie.bytes(token).size() - index(depth)].push_back(token); });
    for (const std::vector<std::int32_t>& some : by_length) {
        listed.insert(listed.end(), some.begin(), some.end());
        at_most.push_back(listed.size());
    }
}

std::shared_ptr<const TokenWords> TokenWordStore::of(const TokenTrie& trie, int node,
                                                     const ByteSet& bytes) {
    const std::lock_guard lock(mutex_);
    if (kept_ >= most) words_.clear(), kept_ = 0;
    std::shared_ptr<const TokenWords>& known = words_[bytes][node];
    if (!known) {
        ++kept_;
        known = std::make_shared<const TokenWords>(trie, node, bytes);
    }
    return known;
}

}  // namespace tbt
