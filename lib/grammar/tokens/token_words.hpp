// The tokens below a node of the vocabulary's tree, taken as words over a set of bytes: all that
// the letters of a string can spell, and where tokens go on with something else.
//
// They depend on the vocabulary alone, so every language over it shares them.
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

    TokenMask tokens;  // those of such bytes only, after the node
    std::vector<std::int32_t>
        exits;  // the nodes where a token leaves the set, or has more bytes than the longest
    std::vector<int>
        of_length;  // one of the tokens with so many bytes after the node; −1: there is none
    // All of them, short ones first, where they are few; and how many have at most n bytes.
    std::vector<std::int32_t> listed;
    std::vector<std::size_t> at_most;
    static constexpr int few = 512;

    // Those with more than `above` and at most `to` bytes; empty if they are not listed.
    std::span<const std::int32_t> between(int above, int to) const {
        if (listed.empty()) return {};
        const std::size_t first = at_most[static_cast<std::size_t>(above)];
        return std::span(listed).subspan(first, at_most[static_cast<std::size_t>(to)] - first);
    }

    TokenWords(const TokenTrie& trie, int node, const ByteSet& bytes);

private:
    void list(const TokenTrie& trie, int depth);
};

// Each is found once, whichever thread asks.
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
