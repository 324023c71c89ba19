// The ways to the end of an object (notebook.hpp): what must still come, and in which orders.
#pragma once

#include <vector>

#include "chapters/14_grammar/grammar.hpp"
#include "chapters/16_json_schema/object_memory.hpp"

namespace tbt {

class ObjectNotes;

class ObjectWays {
public:
    using Acts = std::vector<int>;

    explicit ObjectWays(ObjectNotes& notes) : notes_(&notes) {}

    // As Notebook::any_order, ways and left_ways_out.
    bool any_order(const Grammar& grammar, int node, int note, Acts& next, Notebook::Choice& left);
    void find(const Grammar& grammar, int node, int note, std::vector<Acts>& found);
    bool left_out() const { return left_out_; }

private:
    bool used_up(const Grammar& grammar, const ObjectMemory::Note& note);
    void from(const Grammar& grammar, int members, bool some, std::vector<Acts>& found);
    void behind(const Grammar& grammar, int members, int act, std::vector<Acts>& found);

    ObjectNotes* notes_;
    bool left_out_ = false;
};

}  // namespace tbt
