// A place of a walk that spells texts in tokens: a node of the grammar, a note, and the token that
// was begun.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/index.hpp"

namespace tbt {

struct TokenStep {
    int node, note, trie;  // trie: of a token that was begun, −1: none was
    bool operator==(const TokenStep&) const = default;
};

struct TokenStepHash {
    std::size_t operator()(const TokenStep& s) const {
        std::uint64_t h = static_cast<std::uint64_t>(static_cast<std::uint32_t>(s.node)) << 32 |
                          static_cast<std::uint32_t>(s.trie);
        h = (h ^ static_cast<std::uint64_t>(s.note) << 20) * 0x9e3779b97f4a7c15u;
        return index(h ^ h >> 29);
    }
};

}  // namespace tbt
