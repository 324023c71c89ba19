// The nodes of a source that is built as it is walked: one for each state, found by its key.
#pragma once

#include <map>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

template <class Key>
class KeyedNodes {
public:
    // The key's node; a new one belongs to the source of this index.
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
