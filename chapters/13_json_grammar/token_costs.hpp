// The fewest tokens to the end of a text, by tables: see closing.hpp for the promise they make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tbt {

class TokenCosts {
public:
    using State = std::uint64_t;  // of the machine that made them
    static constexpr int never = std::numeric_limits<int>::max() / 4;

    virtual ~TokenCosts() = default;

    // So many tokens complete the text; behind one of them it is one less.
    virtual int tokens(State state) = 0;
    // Are these the fewest? Not where the order of many members was not looked into.
    virtual bool exact() const = 0;
    // The same, found quickly, and maybe more. Of an outlined state it counts the known part, and
    // hidden_bound is the most that the forgotten part adds.
    virtual int bound(State state) = 0;
    virtual int hidden_bound(State state) = 0;
    // The same of the state that `reached` stands for, which was reached from the outline of
    // `state`; where it is `enough` or less, any number up to that. −1: it cannot be told.
    virtual int tokens_behind(State state, State reached, int enough) = 0;
    virtual int bound_behind(State state, State reached) = 0;

    virtual std::size_t memory() const = 0;
    virtual void forget() = 0;
};

}  // namespace tbt
