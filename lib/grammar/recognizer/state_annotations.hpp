// Annotations: state that a derivation keeps in addition to its node, for example which members of
// an object were written. If each such set were a node, n members would need 2^n nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/grammar/recognizer/measure.hpp"

namespace tbt {

// The annotations of one part of a grammar. Annotations are numbers; equal annotations have the
// same number. Number 0 (forgotten) means that an abstraction does not know the annotation.
class StateAnnotations {
public:
    static constexpr int forgotten = 0;

    virtual ~StateAnnotations() = default;

    // The entry node of this part, and the annotation that a derivation has there.
    virtual int entry() const = 0;
    virtual int first_annotation() = 0;
    // The annotation after a byte of an annotated edge, and after a call with a label.
    virtual int read(int annotation, std::uint8_t byte) = 0;
    virtual int called(int annotation, int) { return annotation; }
    // keep_like(annotation, byte, low, high): narrows the range low..high, which holds the byte, to
    // bytes that lead to the same annotation as this byte.
    virtual void keep_like(int, int, int&, int&) const {}
    // As Grammar::Node::cost, in the measure's unit: the least cost from here to the end of the
    // rule. Grammar::never if the end cannot be reached or the pair is impossible.
    virtual int cost(const Measure& measure, int node, int annotation) = 0;
    // Is the cost in bytes less than never?
    virtual bool alive(const Measure& bytes, int node, int annotation);
    // The rules whose costs cost() uses.
    virtual std::vector<int> rules() const { return {}; }

    // abstracted(node, annotation): the annotation that an abstraction keeps. It knows all that
    // cost() depends on, and otherwise only what masks depend on.
    virtual int abstracted(int, int annotation) { return annotation; }
    // kept(node, annotation): the same when a derivation of an abstraction reaches a node.
    virtual int kept(int, int annotation) { return annotation; }
    // Announces that tokens have at most this many bytes. Returns true if abstractions made earlier
    // may know too little for such tokens.
    virtual bool tokens_have_at_most(int) { return false; }

    virtual std::size_t memory() const { return 0; }
    virtual void forget() {}
};

}  // namespace tbt
