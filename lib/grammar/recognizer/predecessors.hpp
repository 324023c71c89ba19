// The edges of a grammar, reversed: the predecessors of each node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// For each node numbered `first` or higher, the nodes with an edge to it; only edges that start at
// such nodes count. All are in one list, since there may be millions.
class Predecessors {
public:
    Predecessors(const Grammar& grammar, int first) : first_(first) {
        ends_.resize(static_cast<std::size_t>(grammar.nodes() - first) + 1);
        each_edge(grammar, [&](int, std::size_t to) { ++ends_[to + 1]; });
        for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
        ids_.resize(ends_.back());
        // ends_[i + 1] is the start of list i here, and its end once the list is filled.
        each_edge(grammar, [&](int from, std::size_t to) { ids_[ends_[to]++] = from; });
    }
    std::span<const int> of(int id) const {
        const auto i = static_cast<std::size_t>(id - first_);
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return std::span(ids_).subspan(begin, ends_[i] - begin);
    }

private:
    template <class Visit>
    void each_edge(const Grammar& grammar, Visit&& visit) const {
        const auto see = [&](int from, int to) {
            if (to >= first_) visit(from, static_cast<std::size_t>(to - first_));
        };
        for (int id = first_; id < grammar.nodes(); ++id) {
            for (const Grammar::ByteEdge& e : grammar.node(id).bytes) see(id, e.to);
            for (const Grammar::CallEdge& e : grammar.node(id).calls) see(id, e.to);
        }
    }

    int first_;
    std::vector<std::uint32_t> ends_;
    std::vector<int> ids_;
};

}  // namespace tbt
