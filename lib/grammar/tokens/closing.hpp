// Will the text be complete within its budget? Asked before the first token,
// and whenever the budget runs low.
//
// Nothing is searched. An upper bound of the tokens to the end decides:
//
//   bound(s)   so many tokens complete a text in the state s; 0 exactly if it may end there
//
// Some token always leads to a smaller bound. So a decoder that starts with bound(start) <= budget
// and keeps only tokens after which the bound fits the rest of the budget is never without one.
// Where every byte is a token, the fewest bytes to the end are such a bound; a grammar has a
// tighter one (token_bound.hpp).
#pragma once

#include <limits>
#include <unordered_map>

#include "lib/grammar/tokens/mask_cache.hpp"

namespace tbt {

class Closing {
public:
    using State = Recognizer::State;
    static constexpr int never = std::numeric_limits<int>::max();

    explicit Closing(MaskCache& masks) : masks_(&masks) {}

    // Tokens that are enough to complete the text; never: the vocabulary cannot spell any text of
    // the language, or none was found.
    int enough(State state);
    // Can the text be completed with at most this many tokens, as far as enough() knows?
    bool fits(State state, int tokens);

    // Every byte is a token, so that closing_bytes tokens always do.
    bool spells_every_byte() const { return masks_->trie().spells_every_byte(); }

    std::size_t memory() const { return enough_.size() * 48; }
    void forget() { enough_.clear(); }

private:
    int try_everything(State state, int most);

    MaskCache* masks_;
    std::unordered_map<State, int> enough_;  // without all bytes: so many do, as a path has shown
};

}  // namespace tbt
