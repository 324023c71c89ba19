// Words over a set of bytes: the tokens below a trie node whose further bytes are all in the set,
// for example in the bytes that a string may contain. Also the nodes at which tokens leave the set.
//
// Words depend on the vocabulary only, so all languages over it share them.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "lib/grammar/tokens/token_mask.hpp"

namespace tbt {

class TokenTrie;

using ByteSet = std::bitset<256>;

struct TokenWords {
    static constexpr int longest = 24;  // 25 tokens of GPT-2's 50,257 are longer

    TokenMask tokens;  // the words
    // The nodes at which a token leaves the set or exceeds `longest` bytes after the node.
    std::vector<std::int32_t> exits;
    // of_length[n]: one of the words with n bytes after the node; −1 if there is none.
    std::vector<int> of_length;
    // If there are at most `few` words: all of them, short ones first, and for each n how many have
    // at most n bytes after the node. Else empty.
    std::vector<std::int32_t> listed;
    std::vector<std::size_t> at_most;
    static constexpr int few = 512;

    // The words with more than `above` and at most `to` bytes; empty if words are not listed.
    std::span<const std::int32_t> between(int above, int to) const {
        if (listed.empty()) return {};
        const std::size_t first = at_most[static_cast<std::size_t>(above)];
        return std::span(listed).subspan(first, at_most[static_cast<std::size_t>(to)] - first);
    }

    TokenWords(const TokenTrie& trie, int node, const ByteSet& bytes);

private:
    void list(const TokenTrie& trie, int depth);
};

// A cache of words. It may be used by several threads.
class TokenWordStore {
public:
    std::shared_ptr<const TokenWords> of(const TokenTrie& trie, int node, const ByteSet& bytes);

private:
    static constexpr std::size_t most = 1024;  // 6 KB each at V = 50,257; beyond, all are dropped

    std::mutex mutex_;
    std::unordered_map<ByteSet, std::map<int, std::shared_ptr<const TokenWords>>> words_;
    std::size_t kept_ = 0;
};

}  // namespace tbt
