// A grammar as a recognizer over bytes: all derivations that fit the text so far,
// followed side by side.
//
// One derivation is a node and what to return to when its rule ends:
// a continuation, that is a set of (node, continuation).
// All calls of one rule at one place of the text share one continuation;
// so the number of derivations stays small however ambiguous the grammar is [Earley 1970; Scott &
// Johnstone 2010]. Continuations and sets of derivations are kept once each and named by numbers.
// A state is such a number, and a step once made is a table look-up.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/error.hpp"
#include "lib/grammar/flat_map.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

// A place in a derivation: the node, the continuation after its rule, and the annotation, if nodes
// of this part of the grammar have one.
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
    State abstraction(State state) override;
    bool escaped(State state) const override { return known(state) && states_[state].escaped; }
    int hidden_bytes(State state) const override;

    std::size_t memory() const override {
        std::size_t bytes = states_.size() * sizeof(StateInfo) +
                            continuations_.size() * sizeof(Continuation) +
                            (places_.size() + continuation_places_.size()) * sizeof(Place) +
                            slots_.size() * sizeof(int) + blocks_.size() * sizeof(blocks_[0]) +
                            state_index_.memory() + continuation_index_.memory();
        for (int i = 0; i < grammar_.annotation_tables(); ++i)
            bytes += grammar_.annotations(i).memory();
        return bytes;
    }
    void forget() override;
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
    // The unknown continuations of an abstraction. Slot i is the one that slots() of the abstracted
    // state says.
    static constexpr int most_slots = 250;
    static bool is_forgotten(int continuation) {
        return continuation > whole_text && continuation <= most_slots;
    }

    std::span<const Place> places(State state) const {
        return std::span(places_).subspan(states_[state].first, states_[state].size);
    }
    std::span<const Place> places_after(int continuation) const {
        const Continuation& c = continuations_[static_cast<std::size_t>(continuation)];
        return std::span(continuation_places_).subspan(c.first, c.size);
    }
    // What an abstraction has forgotten: the continuation by slot.
    // None: there were more than slots, and several share one.
    std::span<const int> slots(State state) {
        abstraction(state);
        return std::span(slots_).subspan(states_[state].first_slot, states_[state].slots);
    }
    // The fewest bytes from a place to the end of the text, and of its rule.
    int closing_bytes(const Place& place) const {
        return std::min(
            Grammar::never,
            cost(place) + continuations_[static_cast<std::size_t>(place.continuation)].cost);
    }
    bool alive(const Place& place) const {
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.annotations < 0) return node.cost < Grammar::never;
        return grammar_.annotations(node.annotations)
            .alive(ByteMeasure(grammar_), place.node, place.annotation);
    }
    int cost(const Place& place) const {
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.annotations < 0) return node.cost;
        return grammar_.annotations(node.annotations)
            .cost(ByteMeasure(grammar_), place.node, place.annotation);
    }

private:
    struct Continuation {
        std::uint32_t first = 0, size = 0;  // its places
        int cost = 0;                       // the fewest bytes to the end of the text from here
        int same_hash = -1;                 // another one with the same hash
    };
    static constexpr std::int32_t unknown_step = -1, dead_step = -2;
    // For each high half of a byte: where all 16 lead (unknown, dead or a state), or the block of
    // their steps, counted down from first_block.
    static constexpr std::int32_t first_block = -3;
    static constexpr int unknown_cost = -1;
    struct StateInfo {
        std::array<std::int32_t, 16> next;
        std::uint32_t first = 0, size = 0;  // its places
        mutable int cost = unknown_cost;    // found when it is asked for
        std::int32_t abstraction = -1;
        std::uint32_t first_slot = 0, slots = 0;
        std::int32_t same_hash = -1;  // another state
        bool accepts = false, escaped = false;
    };

    // dead, or else a number that no state of this recognizer has: throws Error.
    State unknown_state(State state) const {
        if (state == dead) return dead;
        throw Error("grammar: there is no state " + std::to_string(state) + " of this recognizer");
    }
    bool known(State state) const { return state < states_.size() || unknown_state(state) != dead; }
    std::int32_t known_step(State state, unsigned char byte) const {
        const std::int32_t next = states_[state].next[byte >> 4];
        return next > first_block
                   ? next
                   : blocks_[static_cast<std::size_t>(first_block - next)][byte & 15];
    }
    int cost_of(State state) const;
    void begin_anew();
    State step(State state, unsigned char byte);
    void move(const Place& place, const Grammar::ByteEdge& edge, unsigned char byte);
    void remember(State state, unsigned char byte, State reached);
    // What one step collects: places, then calls by the rank of the rule, then the state.
    void arrive(Place place);
    bool has_arrived(const Place& place);
    void leave(int continuation);
    void follow_calls(const Place& place);
    void begin_rules();
    void begin(int rule, int continuation);
    State collect();

    // What an abstraction of this place keeps of its annotation.
    int abstracted_annotation(const Place& place) const {
        const int annotations = grammar_.node(place.node).annotations;
        return annotations < 0 || place.annotation == StateAnnotations::forgotten
                   ? place.annotation
                   : grammar_.annotations(annotations).abstracted(place.node, place.annotation);
    }
    int continuation_of(std::vector<Place>& places);
    State state_of(std::vector<Place>& places, bool accepts, bool escaped);

    Grammar grammar_;
    State start_ = 0;
    std::vector<StateInfo> states_;
    std::vector<Place> places_;  // of all states
    std::vector<std::array<std::int32_t, 16>> blocks_;
    std::vector<Continuation> continuations_;
    std::vector<int> slots_;                    // of all states
    std::vector<Place> continuation_places_;    // of all continuations
    WordMap state_index_, continuation_index_;  // by their hashes, the last one
    unsigned epoch_ = 0;

    // Scratch of one step.
    std::vector<Place> arrived_, kept_;
    std::vector<std::size_t> last_arrival_;    // by node: where in arrived_ it was put last
    WordMap arrived_index_;                    // by hash: where in arrived_ it is,
    std::size_t indexed_ = 0;                  // of the first so many
    std::vector<std::vector<Place>> callers_;  // by rule
    std::vector<std::pair<int, int>> called_;  // (rank, rule), a heap
    std::vector<Place> begun_;
    bool accepts_ = false, escaped_ = false;
    std::vector<Place> abstracted_;  // of one abstraction
    std::vector<int> forgotten_;
};

}  // namespace tbt
