// The bound in tokens of an object (token_bound.hpp): what must still come, by the plan that has
// the fewest bytes, and for each member the tokens of its key and the bound of its value.
#pragma once

#include "chapters/16_json_schema/object_lengths.hpp"
#include "chapters/16_json_schema/object_memory.hpp"

namespace tbt {

class ObjectNotes;

class ObjectTokens {
public:
    ObjectTokens(ObjectNotes& notes, const ObjectLengths& lengths)
        : notes_(&notes), lengths_(lengths) {}

    // As Notebook::tokens.
    int of(const TokenBound& bound, int node, int note);
    // Of the members that must still come, and the brace.
    int left(const TokenBound& bound, int note);

private:
    int member(const TokenBound& bound, int act);
    int planned(const TokenBound& bound, int members, bool some);
    int behind_key(const TokenBound& bound, int members, int act);
    int of_key(const TokenBound& bound, int node, const ObjectMemory::Note& note, int act);
    int in_key(const TokenBound& bound, int node, int note);

    ObjectNotes* notes_;
    ObjectLengths lengths_;
};

}  // namespace tbt
