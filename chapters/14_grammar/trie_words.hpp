// Words over a set of bytes, below a node of the vocabulary's tree: how long are they, and where
// do tokens leave the set?
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chapters/13_json_grammar/token_trie.hpp"
#include "chapters/14_grammar/token_exits.hpp"
#include "lib/index.hpp"

namespace tbt {

struct TrieWords {
    static constexpr int longest = 32, longest_counted = 128;
    // There is a token of so many bytes behind the node.
    std::array<bool, longest_counted + 1> lengths{};
    struct Exit {
        int node;         // its byte is not one of the set
        int before;       // so many bytes of the set come before it, at least one
        bool any = true;  // no other one behind as many bytes or more covers it
    };
    std::array<std::vector<Exit>, 256> exits;  // by the byte

    // Of words of at most so many bytes.
    TrieWords(const TokenTrie& trie, int below, const std::bitset<256>& bytes,
              int most = longest_counted) {
        const int depth = trie.depth(below);
        for (int i = below + 1; i < trie.end(below);) {
            const TokenTrie::Node& n = trie.nodes()[index(i)];
            const int length = n.depth - depth;
            if (bytes[n.byte] && length <= most) {
                lengths[index(length)] = lengths[index(length)] || n.token >= 0;
                ++i;
                continue;
            }
            if (!bytes[n.byte] && length > 1 && length <= longest + 1)
                exits[n.byte].push_back({i, length - 1});
            i = n.end;
        }
    }

    // Leaves out the exits that another one behind as many bytes covers.
    void cut(ExitCutter& cutter, const TokenTrie& trie) {
        for (std::vector<Exit>& all : exits) {
            std::sort(all.begin(), all.end(), [&](const Exit& a, const Exit& b) {
                const int size_a = trie.end(a.node) - a.node, size_b = trie.end(b.node) - b.node;
                return size_a != size_b ? size_a > size_b : a.node < b.node;
            });
            std::size_t kept = 0;
            for (Exit e : all) {
                bool alike = false;
                for (std::size_t i = 0; i < kept && !alike; ++i) {
                    const Exit& by = all[i];
                    const bool matters = by.before == e.before || (by.any && e.any);
                    if (!matters || by.before < e.before || !cutter.covers(by.node, e.node))
                        continue;
                    e.any = false;
                    alike = by.before == e.before;
                }
                if (!alike) all[kept++] = e;
            }
            all.resize(kept);
        }
    }
};

// Each made once.
class AllTrieWords {
public:
    AllTrieWords(const TokenTrie& trie, ExitCutter& cutter) : trie_(&trie), cutter_(&cutter) {}
    // one: words of one byte alone, and where tokens go on behind it.
    const TrieWords& of(int below, const std::bitset<256>& bytes, bool one) {
        std::map<int, TrieWords>& known = words_[one][bytes];
        if (const auto found = known.find(below); found != known.end()) return found->second;
        TrieWords words(*trie_, below, bytes, one ? 1 : TrieWords::longest_counted);
        words.cut(*cutter_, *trie_);
        return known.emplace(below, std::move(words)).first->second;
    }

private:
    const TokenTrie* trie_;
    ExitCutter* cutter_;
    std::array<std::unordered_map<std::bitset<256>, std::map<int, TrieWords>>, 2> words_;
};

}  // namespace tbt
