// A recognizer for any grammar. It reads bytes and follows in parallel all derivations that fit the
// text so far.
//
// A derivation is a node of a rule and a continuation: where to go on when that rule ends.
// A continuation is a set of pairs (node, continuation), one for each caller of the rule.
// All calls of one rule at one position of the text share one continuation, so the number of
// derivations stays small even if the grammar is ambiguous [Earley 1970; Scott & Johnstone 2010].
// Of two derivations at the same node, one is dropped if whatever completes it also completes the
// other: a ::= [a-z] a? a? a? would otherwise keep one for each byte of the text.
// Equal continuations are stored once and have a number; so are equal sets of derivations. A state
// is the number of such a set. Each step is computed once; afterwards it is a table look-up.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/grammar/containers.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

// A place in a derivation: the node, the number of the continuation after its rule, and the number
// of the annotation, which is further state of the derivation (StateAnnotations). The
// annotation is 0 at nodes that have none.
struct GrammarPlace {
    int node, continuation, annotation = 0;
    auto operator<=>(const GrammarPlace&) const = default;
};

inline std::uint64_t hash_of(std::uint64_t hash, std::span<const GrammarPlace> places) {
    for (const GrammarPlace& p : places) {
        const auto low = static_cast<std::uint32_t>(p.continuation);
        hash = mixed(hash, static_cast<std::uint64_t>(p.node) << 32 | low);
        hash = mixed(hash, static_cast<std::uint64_t>(p.annotation));
    }
    return hash;
}

template <class Places>
void sort_unique(Places& places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
}

class GrammarRecognizer : public Recognizer {
public:
    explicit GrammarRecognizer(Grammar grammar);

    State start() override { return start_; }
    State next(State state, unsigned char byte) override {
        if (state >= states_.size()) return unknown_state(state);
        const std::int32_t known = known_step(state, byte);
        return known == unknown_step ? step(state, byte)
               : known == dead_step  ? dead
                                     : static_cast<State>(known);
    }
    int last_equivalent(State state, int byte) const override {
        if (!known(state)) return 255;
        const std::int32_t here = known_step(state, static_cast<unsigned char>(byte));
        while (byte < 255 && known_step(state, static_cast<unsigned char>(byte + 1)) == here)
            ++byte;
        return byte;
    }
    bool accepts(State state) const override { return known(state) && states_[state].accepts; }
    int closing_bytes(State state) const override { return known(state) ? cost_of(state) : never; }
    // For the cache of masks; recognizer.hpp explains abstraction and escaped.
    State abstraction(State state) override;
    bool escaped(State state) const override { return known(state) && states_[state].escaped; }

    std::size_t memory() const override {
        std::size_t bytes = states_.size() * sizeof(StateInfo) +
                            continuations_.size() * sizeof(Continuation) +
                            (places_.size() + continuation_places_.size()) * sizeof(Place) +
                            slots_.size() * sizeof(int) + blocks_.size() * sizeof(blocks_[0]) +
                            state_index_.memory() + continuation_index_.memory() + covers_.memory();
        for (int i = 0; i < grammar_.annotation_tables(); ++i)
            bytes += grammar_.annotations(i).memory();
        return bytes;
    }
    void forget() override;
    void allow_work(std::size_t most) override { work_ = 0, max_work_ = most; }
    unsigned epoch() const override { return epoch_; }
    std::unique_ptr<TokensToEnd> tokens_to_end(const TokenTrie& trie) override;

    const Grammar& grammar() const { return grammar_; }
    Grammar& grammar() { return grammar_; }
    std::size_t states() const { return states_.size(); }
    int derivations(State state) const {
        return known(state) ? static_cast<int>(states_[state].size) : 0;
    }

    using Place = GrammarPlace;
    static constexpr int whole_text = 0;  // the continuation after the root: the text may end
    // In an abstraction, continuations 1 to max_slots are placeholders for forgotten ones:
    // placeholder 1 + i means slots(state)[i], where `state` is the state that was abstracted.
    static constexpr int max_slots = 250;
    static bool is_forgotten(int continuation) {
        return continuation > whole_text && continuation <= max_slots;
    }

    std::span<const Place> places(State state) const {
        return std::span(places_).subspan(states_[state].first, states_[state].size);
    }
    std::span<const Place> places_after(int continuation) const {
        const Continuation& c = continuations_[static_cast<std::size_t>(continuation)];
        return std::span(continuation_places_).subspan(c.first, c.size);
    }
    // The continuations that the abstraction of this state has forgotten, by slot. Also empty if
    // there are more than max_slots: several then share a slot and cannot be told apart.
    std::span<const int> slots(State state) {
        abstraction(state);
        return std::span(slots_).subspan(states_[state].first_slot, states_[state].slots);
    }
    // The fewest bytes from a place to the end of the text.
    int closing_bytes(const Place& place) const {
        return saturating_add(cost(place),
                              continuations_[static_cast<std::size_t>(place.continuation)].cost);
    }
    // Can the rule be completed from this place?
    bool alive(const Place& place) const {
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.annotations < 0) return node.cost < Grammar::never;
        return grammar_.annotations(node.annotations)
            .alive(ByteMeasure(grammar_), place.node, place.annotation);
    }
    // The fewest bytes from this place to the end of its rule.
    int cost(const Place& place) const {
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.annotations < 0) return node.cost;
        return grammar_.annotations(node.annotations)
            .cost(ByteMeasure(grammar_), place.node, place.annotation);
    }

private:
    struct Continuation {
        std::uint32_t first = 0, size = 0;  // its places: the first index and their number
        int cost = 0;                       // the fewest bytes to the end of the text from here
        int same_hash = -1;                 // an earlier continuation with the same hash
    };
    static constexpr std::int32_t unknown_step = -1, dead_step = -2;
    // StateInfo::next has an entry for each value of a byte's high four bits. If all 16 such bytes
    // have the same step, it is that step: unknown, dead or a state. If not, it is first_block − i,
    // and blocks_[i] has the 16 steps.
    static constexpr std::int32_t first_block = -3;
    static constexpr int unknown_cost = -1;
    struct StateInfo {
        std::array<std::int32_t, 16> next;
        std::uint32_t first = 0, size = 0;  // its places: the first index and their number
        mutable int cost = unknown_cost;    // computed when first needed
        std::int32_t abstraction = -1;
        std::uint32_t first_slot = 0, slots = 0;
        std::int32_t same_hash = -1;  // an earlier state with the same hash
        bool accepts = false, escaped = false;
    };

    // Called with a number that is not a state: returns dead for dead and throws Error otherwise.
    State unknown_state(State state) const {
        if (state == dead) return dead;
        throw Error("grammar: there is no state " + std::to_string(state) + " of this recognizer");
    }
    // False for dead; throws Error for any other number that is not a state.
    bool known(State state) const { return state < states_.size() || unknown_state(state) != dead; }
    std::int32_t known_step(State state, unsigned char byte) const {
        const std::int32_t next = states_[state].next[byte >> 4];
        return next > first_block
                   ? next
                   : blocks_[static_cast<std::size_t>(first_block - next)][byte & 15];
    }
    [[noreturn]] void throw_too_ambiguous(State state) const;
    int cost_of(State state) const;
    void begin_anew();
    State step(State state, unsigned char byte);
    void move(const Place& place, const Grammar::ByteEdge& edge, unsigned char byte);
    void remember(State state, unsigned char byte, State reached);
    // The parts of a step: collect the places reached and the rules called there, begin these rules
    // in the order of their ranks, and make a state from the result.
    void arrive(Place place);
    bool has_arrived(const Place& place);
    void leave(int continuation);
    void follow_calls(const Place& place);
    void begin_rules();
    void begin(int rule, int continuation);
    State collect();

    bool covers(int more, int less, int depth = 0);
    void drop_covered(std::vector<Place>& places);
    int continuation_of(std::vector<Place>& places);
    State state_of(std::vector<Place>& places, bool accepts, bool escaped);

    Grammar grammar_;
    State start_ = 0;
    std::vector<StateInfo> states_;
    std::vector<Place> places_;                         // those of all states, one after another
    std::vector<std::array<std::int32_t, 16>> blocks_;  // blocks of 16 steps, see first_block
    std::vector<Continuation> continuations_;
    std::vector<int> slots_;                    // those of all states, one after another
    std::vector<Place> continuation_places_;    // those of all continuations
    WordMap state_index_, continuation_index_;  // by hash: the newest entry with that hash
    WordMap covers_;                            // by a pair of continuations: 1 or 0
    unsigned epoch_ = 0;
    std::size_t work_ = 0, max_work_ = any_work;  // derivations followed; their limit

    // Scratch memory of one step.
    std::vector<Place> arrived_, kept_;
    std::vector<std::size_t> last_arrival_;    // by node: its last place's index in arrived_
    WordMap arrived_index_;                    // by hash of a place: its index in arrived_
    std::size_t indexed_ = 0;                  // how many of arrived_ are in arrived_index_
    std::vector<std::vector<Place>> callers_;  // by rule: places after the calls of this step
    std::vector<std::pair<int, int>> called_;  // a heap of (rank, rule)
    std::vector<Place> begun_;
    bool accepts_ = false, escaped_ = false;
    // Scratch memory of abstraction().
    std::vector<Place> abstracted_;
    std::vector<int> forgotten_;
};

// Says in words where a text is in a grammar: the names of the rules that are being read, for
// example "root › date › month", for at most three derivations. Rules that the compiler has added
// are not named. Empty if only the root rule is being read.
std::string rule_words(const GrammarRecognizer& recognizer, Recognizer::State state);

}  // namespace tbt
