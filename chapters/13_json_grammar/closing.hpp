// How many tokens does it take to complete a text? Asked before the first one,
// and whenever the budget runs low.
//
// There is no search that could give up. A few ways to go on are singled out, by a rule that looks
// at two neighbouring states only: a byte must bring the end nearer, or at least not push it away
// (that at most twice in a row). tokens(s) is the length of the shortest path of tokens made of
// such bytes:
//
//   tokens(s) = 0 if the text may end, else 1 + the least tokens(s') over those tokens
//
// So it is the length of a path that exists, and one token along it tokens() is one less: whoever
// keeps the tokens behind which tokens() still fits is never left without one.
//
// A machine made from a grammar has tables instead (token_costs.hpp), which keep the same promise.
#pragma once

#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "chapters/13_json_grammar/mask_cache.hpp"
#include "lib/index.hpp"

namespace tbt {

class Closing {
public:
    using State = ByteMachine::State;
    static constexpr int never = std::numeric_limits<int>::max();

    explicit Closing(MaskCache& masks) : masks_(&masks) {}

    // Can the text be completed with at most this many tokens?
    // If so, there is a token behind which one less will do, as long as any is needed.
    bool fits(State state, int tokens);

    // The fewest tokens that complete the text; never: the vocabulary cannot spell any.
    // `exact` false: the vocabulary lacks bytes, and trying everything took too long; or an order
    // of members was taken as it came (token_costs.hpp), and there may be a shorter one.
    struct Minimum {
        int tokens = 0;
        bool exact = true;
    };
    Minimum minimum(State state);

    // The shortest completion in bytes (of several the one with the lowest bytes).
    std::string shortest(State state);
    // Every byte is a token, so that closing_bytes tokens always do.
    bool spells_every_byte() const { return masks_->trie().spells_every_byte(); }

    std::size_t memory() const { return (tokens_.size() + enough_.size()) * 48; }
    void forget() { tokens_.clear(), enough_.clear(); }

private:
    // A state, and how many bytes in a row just brought the end no nearer.
    struct Vertex {
        State state;
        int idle = 0;
        bool operator==(const Vertex&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Vertex& v) const {
            return index((v.state * 4 + static_cast<State>(v.idle)) * 0x9e3779b97f4a7c15u >> 7);
        }
    };
    static constexpr int most_idle = 2;
    static constexpr std::size_t wide = 8;  // so many bytes that lead to one state are a class

    int tokens(State state);
    void settle(const Vertex& from);
    void collect_steps(const Vertex& from);
    bool approach(Vertex& at, unsigned char byte);
    void walk_below(int node, int first, int last, const Vertex& from, const ByteSet* without);

    int try_everything(State state, int tokens);

    MaskCache* masks_;
    std::unordered_map<Vertex, int, Hash> tokens_;
    std::unordered_map<State, int> enough_;  // without all bytes: so many do, as a path has shown
    std::vector<Vertex> steps_, on_the_way_;
};

}  // namespace tbt
