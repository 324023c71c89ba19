// The nodes of a source that is built as it is walked: one for each spot, and the spot of each.
#pragma once

#include <map>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

template <class Spot>
class SpotNodes {
public:
    // The spot's node; a new one belongs to the source of this index.
    int at(Grammar& grammar, int source, const Spot& spot) {
        const auto [place, added] = nodes_.try_emplace(spot, 0);
        if (added) {
            place->second = grammar.add_node();
            grammar.node(place->second).source = source;
            spots_[place->second] = spot;
        }
        return place->second;
    }
    const Spot& of(int node) const { return spots_.at(node); }

private:
    std::map<Spot, int> nodes_;
    std::map<int, Spot> spots_;
};

}  // namespace tbt
