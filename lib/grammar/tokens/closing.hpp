// Decides whether a text can be completed within its budget of tokens. This is checked before the
// first token, and whenever the budget runs low.
//
// If every byte is a token, no search is needed. An upper bound of the tokens to the end decides:
//
//   bound(s)   a text in state s can be completed with this many tokens; 0 iff it may end in s
//
// Some token always leads to a smaller bound. So if bound(start) <= budget, and the decoder keeps
// only tokens after which the bound fits the rest of the budget, at least one token is always left.
// The fewest bytes to the end are such a bound; a grammar has a tighter one (token_bound.hpp).
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

    // A number of tokens that is enough to complete the text. never: the vocabulary cannot spell
    // any completion, or the search found none.
    int enough(State state);
    // Can the text be completed with at most this many tokens? False if enough() knows no such way.
    bool fits(State state, int tokens);

    // Is every byte a token? Then closing_bytes tokens are always enough.
    bool has_all_byte_tokens() const { return masks_->trie().has_all_byte_tokens(); }

    std::size_t memory() const { return enough_.size() * 48; }  // in bytes, an estimate
    void forget() { enough_.clear(); }

private:
    int try_everything(State state, int most);

    MaskCache* masks_;
    // For vocabularies that lack bytes: the tokens that are enough, from paths found so far.
    std::unordered_map<State, int> enough_;
};

}  // namespace tbt
