// A grammar as a machine over bytes: all derivations that fit the text so far,
// followed side by side.
//
// One derivation is a node and what to return to when its rule ends:
// a continuation, that is a set of (node, continuation).
// All calls of one rule at one place of the text share one continuation, whoever made them;
// so the number of derivations stays small however ambiguous the grammar is [Earley 1970; Scott &
// Johnstone 2010]. Continuations and sets of derivations are kept once each and named by numbers.
// A state is such a number, and a step once made is a table look-up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/error.hpp"
#include "lib/grammar/flat_map.hpp"
#include "lib/grammar/recognizer/byte_machine.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/recognizer/grammar_place.hpp"

namespace tbt {

class GrammarMachine : public ByteMachine {
public:
    explicit GrammarMachine(Grammar grammar);

    State start() override { return start_; }
    State next(State state, unsigned char byte) override {
        if (state >= states_.size()) return unknown_state(state);
        const std::int32_t known = known_step(state, byte);
        return known == unknown_step ? step(state, byte)
               : known == dead_step  ? dead
                                     : static_cast<State>(known);
    }
    int last_alike(State state, int byte) const override {
        if (!known(state)) return 255;
        const std::int32_t here = known_step(state, static_cast<unsigned char>(byte));
        while (byte < 255 && known_step(state, static_cast<unsigned char>(byte + 1)) == here)
            ++byte;
        return byte;
    }
    bool accepts(State state) const override { return known(state) && states_[state].accepts; }
    int closing_bytes(State state) const override { return known(state) ? cost_of(state) : never; }
    State outline(State state) override;
    bool escaped(State state) const override { return known(state) && states_[state].escaped; }
    int hidden_bytes(State state) const override;

    std::size_t memory() const override {
        std::size_t bytes = states_.size() * sizeof(StateInfo) +
                            continuations_.size() * sizeof(Continuation) +
                            (places_.size() + behind_places_.size()) * sizeof(Place) +
                            slots_.size() * sizeof(int) + blocks_.size() * sizeof(blocks_[0]) +
                            state_index_.memory() + continuation_index_.memory();
        for (int i = 0; i < grammar_.notebooks(); ++i) bytes += grammar_.notebook(i).memory();
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
    static constexpr int whole_text = 0;  // the continuation behind the root: the text may end
    // The continuations of an outline, of which nothing is known. Slot i of an outline stands for
    // what slots() of the outlined state says.
    static constexpr int most_slots = 250;
    static bool is_forgotten(int behind) { return behind > whole_text && behind <= most_slots; }

    std::span<const Place> places(State state) const {
        return std::span(places_).subspan(states_[state].first, states_[state].size);
    }
    std::span<const Place> places_behind(int continuation) const {
        const Continuation& c = continuations_[static_cast<std::size_t>(continuation)];
        return std::span(behind_places_).subspan(c.first, c.size);
    }
    // What an outline has forgotten: the continuation by slot.
    // None: there were more than slots, and several share one.
    std::span<const int> slots(State state) {
        outline(state);
        return std::span(slots_).subspan(states_[state].first_slot, states_[state].slots);
    }
    // The fewest bytes from a place to the end of the text, and of its rule.
    int closing_bytes(const Place& place) const {
        return std::min(Grammar::never,
                        cost(place) + continuations_[static_cast<std::size_t>(place.behind)].cost);
    }
    bool alive(const Place& place) const {
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.notebook < 0) return node.cost < Grammar::never;
        return grammar_.notebook(node.notebook)
            .alive(ByteMeasure(grammar_), place.node, place.note);
    }
    int cost(const Place& place) const {
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.notebook < 0) return node.cost;
        return grammar_.notebook(node.notebook).cost(ByteMeasure(grammar_), place.node, place.note);
    }

private:
    struct Continuation {
        std::uint32_t first = 0, size = 0;  // its places
        int cost = 0;                       // the fewest bytes to the end of the text from here
        int alike = -1;                     // another one with the same hash
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
        std::int32_t outline = -1;
        std::uint32_t first_slot = 0, slots = 0;
        std::int32_t alike = -1;  // another one with the same hash
        bool accepts = false, escaped = false;
    };

    // dead, or else a number that no state of this machine has: throws Error.
    State unknown_state(State state) const {
        if (state == dead) return dead;
        throw Error("grammar: there is no state " + std::to_string(state) + " of this machine");
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
    void begin(int rule, int behind);
    State collect();

    // What an outline of this place keeps of its note.
    int outlined_note(const Place& place) const {
        const int notebook = grammar_.node(place.node).notebook;
        return notebook < 0 || place.note == Notebook::forgotten
                   ? place.note
                   : grammar_.notebook(notebook).outlined(place.node, place.note);
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
    std::vector<Place> behind_places_;          // of all continuations
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
    std::vector<Place> outlined_;  // of one outline
    std::vector<int> forgotten_;
};

}  // namespace tbt
