// An upper bound of the tokens to the end of a text, where one can be added up from the states of
// an automaton (chapter 14 has it for grammars). Without one, as for the JSON machine written by
// hand, the fewest bytes are the bound: every byte is a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tbt {

class TokensToEnd {
public:
    using State = std::uint64_t;  // of the automaton
    static constexpr int never = std::numeric_limits<int>::max() / 4;

    virtual ~TokensToEnd() = default;

    // So many tokens complete the text, and after one of them the bound is smaller.
    // Of an outlined state it counts the known part only.
    virtual int of(State state) = 0;
    // The most that the part that an outline of the state has forgotten adds.
    virtual int hidden(State state) = 0;
    // The bound of the state that `reached` means, which was reached from the outline of
    // `state`. -1: it cannot be told.
    virtual int of_reached(State state, State reached) = 0;

    virtual std::size_t memory() const = 0;
    virtual void forget() = 0;
};

}  // namespace tbt
