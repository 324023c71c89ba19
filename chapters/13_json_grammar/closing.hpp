// How many tokens does it take to complete a text? Asked before the first one,
// and whenever the budget runs low.
#pragma once

#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "chapters/13_json_grammar/mask_cache.hpp"

namespace tbt {

class Closing {
public:
    using State = ByteMachine::State;
    static constexpr int never = std::numeric_limits<int>::max();

    explicit Closing(MaskCache& masks);

    // Can the text be completed with at most this many tokens?
    // If so, there is a token behind which one less will do, as long as any is needed.
    // Exact, unless the search exceeds its limit of work: then "no" may be wrong, "yes" never is.
    bool fits(State state, int tokens);

    // The fewest tokens that complete the text; never: the vocabulary cannot spell any.
    // `exact` false: found no better way within the limit of work.
    struct Minimum {
        int tokens = 0;
        bool exact = true;
    };
    Minimum minimum(State state);

    // The shortest completion in bytes (of several the one with the lowest bytes).
    std::string shortest(State state);
    // Every byte is a token, so that closing_bytes tokens always do.
    bool spells_every_byte() const { return spells_every_byte_; }

private:
    struct Known {
        int enough = never;  // so many tokens do
        int needed = 0;      // fewer don't
    };
    unsigned char shortest_byte(State state);
    Known& known(State state);
    bool search(State state, int tokens, int& work);
    const std::vector<MaskCache::Step>& steps(State state);
    int least(State state) const;

    MaskCache* masks_;
    bool spells_every_byte_ = true;
    std::unordered_map<State, Known> known_;
    std::unordered_map<State, unsigned char> shortest_;
    std::unordered_map<State, std::vector<MaskCache::Step>> steps_;
};

}  // namespace tbt
