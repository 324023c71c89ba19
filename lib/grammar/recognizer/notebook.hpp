// What a derivation remembers beside the node where it is: of an object, which members were
// written. There would be 2^n nodes if each set of members had its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/grammar/recognizer/measure.hpp"

namespace tbt {

// The notes of one part of a grammar, by number; equal notes have the same number.
// 0 is the note of which an outline would have to know more.
class Notebook {
public:
    static constexpr int forgotten = 0;

    virtual ~Notebook() = default;

    // Entry node, and the note that a derivation has there.
    virtual int entry() const = 0;
    virtual int first_note() = 0;
    // After a byte of an edge that is noted, and after a call that has an act.
    virtual int read(int note, std::uint8_t byte) = 0;
    virtual int called(int note, int) { return note; }
    // Of the bytes from low to high, which take one edge, keeps some around this one after which
    // there is the same note.
    virtual void keep_like(int, int, int&, int&) const {}
    // As Grammar::Node::cost, in bytes or tokens: what it takes to the end of the rule.
    // Grammar::never: this note and this node do not go together, or lead nowhere.
    virtual int cost(const Measure& measure, int node, int note) = 0;
    // Less than never?
    virtual bool alive(const Measure& bytes, int node, int note);
    // The rules that cost() asks for.
    virtual std::vector<int> rules() const { return {}; }

    // What an outline keeps of the note: as little as the masks of tokens depend on, and all that
    // cost() depends on.
    virtual int outlined(int, int note) { return note; }
    // … and of its notes when they come to a node.
    virtual int kept(int, int note) { return note; }

    virtual std::size_t memory() const { return 0; }
    virtual void forget() {}
};

}  // namespace tbt
