// The nodes of a source that builds its part of a grammar on demand: one node for each key, which
// describes a state.
#pragma once

#include <map>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

template <class Key>
class KeyedNodes {
public:
    // The node of the key. If it is new, it is added to the grammar; `source` will expand it.
    int at(Grammar& grammar, int source, const Key& key) {
        const auto [place, added] = nodes_.try_emplace(key, 0);
        if (added) {
            place->second = grammar.add_node();
            grammar.node(place->second).source = source;
            keys_[place->second] = key;
        }
        return place->second;
    }
    const Key& of(int node) const { return keys_.at(node); }

private:
    std::map<Key, int> nodes_;
    std::map<int, Key> keys_;
};

}  // namespace tbt
