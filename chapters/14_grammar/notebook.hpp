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

    virtual std::size_t memory() const = 0;
    virtual void forget() = 0;
};

}  // namespace tbt
