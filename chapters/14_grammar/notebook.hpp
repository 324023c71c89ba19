// What a derivation remembers beside the node where it is: of an object, which members were
// written. There would be 2^n nodes if each set of members had its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tbt {

class Grammar;
class TokenBound;

// The notes of one part of a grammar, by number; equal notes have the same number.
// 0 stands for a note that an outline has forgotten.
class Notebook {
public:
    static constexpr int forgotten = 0;

    virtual ~Notebook() = default;

    // The node through which one enters, and the note of one who does.
    virtual int entry() const = 0;
    virtual int first_note() = 0;
    // Behind a byte of an edge that is noted, and behind a call that has an act.
    virtual int read(int note, std::uint8_t byte) = 0;
    virtual int called(int note, int act) = 0;
    // Of the bytes from low to high, which take one edge, keeps some around this one behind which
    // there is the same note.
    virtual void keep_like(int note, int byte, int& low, int& high) const = 0;
    // As Grammar::Node::cost: the fewest bytes to the end of the rule. never: this note and this
    // node do not go together, or lead nowhere.
    virtual int cost(const Grammar& grammar, int node, int note) = 0;
    // Less than never?
    virtual bool alive(const Grammar& grammar, int node, int note) = 0;
    // Of the same way in tokens, see token_bound.hpp: one token along it, it is one less.
    virtual int tokens(const TokenBound& bound, int node, int note) = 0;
    // The rules that cost() asks for.
    virtual std::vector<int> rules() const = 0;

    // What an outline keeps of the note: as little as the masks of tokens depend on. Where it goes
    // on with a note that is forgotten, it would have to know more.
    virtual int outlined(int node, int note) = 0;
    // … and of its notes when they come to a node.
    virtual int kept(int, int note) { return note; }
    // Would an outline with this note have to know more to go on?
    virtual bool is_forgotten(int note) const { return note == forgotten; }
    // The note that an outline's stands for at a node; the outline was made when it was `was`, or
    // with all of its note, if that is `forgotten`.
    virtual int restored(int node, int note, int was) = 0;
    // The most that `restored` adds to tokens(), for an outline made with this note.
    virtual int forgotten_tokens(const TokenBound& bound, int node, int note) = 0;

    // ---- for the shortest way to the end, in tokens (token_costs.hpp) ----
    // A stretch goes from a node to the node behind the call of an act, or to the end of the rule
    // (act `the_end`). Is a node on the way of that stretch?
    static constexpr int the_end = -1;
    virtual bool on_the_way(int node, int act, int note) = 0;
    // Do notes count bytes: is the one behind a byte the same for all bytes of an edge?
    virtual bool counts() const { return false; }
    // In a key, the fewest bytes to its end.
    virtual int stretch_bytes(const Grammar& grammar, int node, int act, int note) = 0;
    // The node behind the calls.
    virtual int behind_calls() const = 0;
    // Ways to the end: each a list of acts, one stretch each, that ends with the_end. Whoever
    // goes the first stretch of one of them finds the rest of it among the ways from there.
    virtual void ways(const Grammar& grammar, int node, int note,
                      std::vector<std::vector<int>>& found) = 0;
    // Acts in any order, each once: all that must come, and so many more of those that may.
    // `others` could stand in their place.
    struct Choice {
        std::vector<int> must, may, others;
        int more = 0;
    };
    // Where acts come in any order: what is left at the node, and which of that, or else, may come
    // next. Their stretches depend on no note. false: ways() says more.
    virtual bool any_order(const Grammar&, int, int, std::vector<int>&, Choice&) { return false; }
    // Has ways() left some out that may be shorter?
    virtual bool left_ways_out() const { return false; }
    // Only the part of a note that the ways from a node depend on.
    virtual int on_ways(int, int note) { return note; }
    // Only the part of a note that the stretch of an act depends on: forgotten where it depends on
    // none.
    virtual int on_stretch(int node, int act, int note) = 0;

    virtual std::size_t memory() const = 0;
    virtual void forget() = 0;
};

}  // namespace tbt
