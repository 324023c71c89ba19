// State that a derivation keeps beside its node, for example the set of members of an object that
// were written. With a node for each set there would be 2^n of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/grammar/recognizer/measure.hpp"

namespace tbt {

// The annotations that the nodes of one part of a grammar can have, by number; equal annotations
// have the same number. 0: an abstraction does not know enough to say which one.
class StateAnnotations {
public:
    static constexpr int forgotten = 0;

    virtual ~StateAnnotations() = default;

    // Entry node, and the annotation that a derivation has there.
    virtual int entry() const = 0;
    virtual int first_annotation() = 0;
    // After a byte of an edge that is annotated, and after a call with a label.
    virtual int read(int annotation, std::uint8_t byte) = 0;
    virtual int called(int annotation, int) { return annotation; }
    // Narrows low..high, bytes of one edge, to some around this byte that lead to the same
    // annotation.
    virtual void keep_like(int, int, int&, int&) const {}
    // As Grammar::Node::cost, in bytes or tokens: what it takes to the end of the rule.
    // Grammar::never: this annotation and this node do not go together, or lead nowhere.
    virtual int cost(const Measure& measure, int node, int annotation) = 0;
    // Less than never?
    virtual bool alive(const Measure& bytes, int node, int annotation);
    // The rules that cost() asks for.
    virtual std::vector<int> rules() const { return {}; }

    // What an abstraction keeps of the annotation: as little as masks depend on, and all that
    // cost() depends on.
    virtual int abstracted(int, int annotation) { return annotation; }
    // The same when a derivation of an abstraction comes to a node.
    virtual int kept(int, int annotation) { return annotation; }
    // What is read are tokens of at most so many bytes. True: abstractions made before may know too
    // little for these.
    virtual bool tokens_have_at_most(int) { return false; }

    virtual std::size_t memory() const { return 0; }
    virtual void forget() {}
};

}  // namespace tbt
