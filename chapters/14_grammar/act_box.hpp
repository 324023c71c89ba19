// Of acts that must come in any order, for all numbers of each kind up to some: the exits of the
// best order, from each class of nodes (act_rests.hpp). Numbers are places of a table, and a row
// of it says how many tokens each end takes: what follows one act more is a minimum of rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chapters/14_grammar/token_exits.hpp"

namespace tbt {

// From each class of nodes, with which classes a stretch is left.
struct ActKind {
    std::vector<TokenExits> from;
};

class ActBox {
public:
    // most: of each kind. end: the exits behind all of them from each class, by nodes of the tree.
    ActBox(std::span<const ActKind> kinds, std::span<const TokenExits> end, std::vector<int> most);

    // How many numbers and classes it would have.
    static double states(std::span<const int> most, std::size_t classes);
    // Are these all in it, none more than `most`?
    bool holds(std::span<const int> numbers) const;
    // All exits behind so many, in no order.
    void find(std::span<const int> numbers, int from, TokenExits& exits) const;

    std::size_t memory() const { return tokens_.capacity() * sizeof(int); }

private:
    void fill(std::span<const ActKind> kinds);

    std::vector<int> most_, ends_;  // ends_: nodes of the tree
    std::vector<std::size_t> strides_;
    std::size_t classes_, width_;
    std::vector<int> tokens_;  // by numbers, class and end
};

}  // namespace tbt
