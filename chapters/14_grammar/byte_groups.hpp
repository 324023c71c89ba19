// The edges of a node by where they lead: many bytes that lead to one node are a class, as in a
// string.
#pragma once

#include <algorithm>
#include <bitset>
#include <unordered_map>
#include <vector>

#include "chapters/14_grammar/grammar.hpp"
#include "lib/index.hpp"

namespace tbt {

struct ByteGroup {
    int to;
    std::bitset<256> bytes;
    bool noted;
    int low, high;      // of the bytes
    std::size_t count;  // so many bytes
};

// Each made once.
class ByteGroups {
public:
    explicit ByteGroups(const Grammar& grammar) : grammar_(&grammar) {}

    const std::vector<ByteGroup>& of(int node) {
        const auto [place, added] = groups_.try_emplace(node);
        if (added || place->second.empty()) place->second = made(node);
        return place->second;
    }

private:
    std::vector<ByteGroup> made(int node) const {
        std::vector<ByteGroup> groups;
        for (const Grammar::ByteEdge& e : grammar_->node(node).bytes) {
            auto group = std::find_if(groups.begin(), groups.end(), [&](const ByteGroup& g) {
                return g.to == e.to && g.noted == e.noted;
            });
            if (group == groups.end()) group = groups.insert(group, {e.to, {}, e.noted, 255, 0, 0});
            group->low = std::min<int>(group->low, e.low);
            group->high = std::max<int>(group->high, e.high);
            for (int b = e.low; b <= e.high; ++b) group->bytes.set(index(b));
        }
        for (ByteGroup& g : groups) g.count = g.bytes.count();
        return groups;
    }

    const Grammar* grammar_;
    std::unordered_map<int, std::vector<ByteGroup>> groups_;
};

}  // namespace tbt
