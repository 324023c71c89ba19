// A place in a derivation, and lists of them as keys.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>

#include "lib/grammar/flat_map.hpp"

namespace tbt {

// The node, the continuation behind its rule, and the note, where the node has a notebook.
struct GrammarPlace {
    int node, behind, note = 0;
    auto operator<=>(const GrammarPlace&) const = default;
};

inline std::uint64_t hash_of(std::uint64_t hash, std::span<const GrammarPlace> places) {
    for (const GrammarPlace& p : places) {
        const auto low = static_cast<std::uint32_t>(p.behind);
        hash = mixed(hash, static_cast<std::uint64_t>(p.node) << 32 | low);
        hash = mixed(hash, static_cast<std::uint64_t>(p.note));
    }
    return hash;
}

template <class Places>
void sort_unique(Places& places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
}

}  // namespace tbt
