// Words over a set of bytes, below a node of the vocabulary's tree: how long are they, and where
// do tokens leave the set?
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "chapters/13_json_grammar/token_trie.hpp"
#include "lib/index.hpp"

namespace tbt {

struct TrieWords {
    static constexpr int longest = 32, longest_counted = 128;
    // There is a token of so many bytes behind the node.
    std::array<bool, longest_counted + 1> lengths{};
    struct Exit {
        int node;    // its byte is not one of the set
        int before;  // so many bytes of the set come before it, at least one
    };
    std::array<std::vector<Exit>, 256> exits;  // by the byte

    TrieWords(const TokenTrie& trie, int below, const std::bitset<256>& bytes) {
        const int depth = trie.depth(below);
        for (int i = below + 1; i < trie.end(below);) {
            const TokenTrie::Node& n = trie.nodes()[index(i)];
            const int length = n.depth - depth;
            if (bytes[n.byte] && length <= longest_counted) {
                lengths[index(length)] = lengths[index(length)] || n.token >= 0;
                ++i;
                continue;
            }
            if (!bytes[n.byte] && length > 1 && length <= longest + 1)
                exits[n.byte].push_back({i, length - 1});
            i = n.end;
        }
    }
};

// Each made once.
class AllTrieWords {
public:
    explicit AllTrieWords(const TokenTrie& trie) : trie_(&trie) {}
    const TrieWords& of(int below, const std::bitset<256>& bytes) {
        std::map<int, TrieWords>& known = words_[bytes];
        const auto found = known.find(below);
        return found != known.end()
                   ? found->second
                   : known.emplace(below, TrieWords(*trie_, below, bytes)).first->second;
    }

private:
    const TokenTrie* trie_;
    std::unordered_map<std::bitset<256>, std::map<int, TrieWords>> words_;
};

}  // namespace tbt
