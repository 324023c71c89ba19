// What an outline keeps of an object's note: in a key, only which of the members were written that
// this key may still become. So masks inside keys and values are made once, whatever was written.
#pragma once

#include <vector>

#include "chapters/13_json_grammar/flat_map.hpp"
#include "chapters/16_json_schema/object_graph.hpp"
#include "chapters/16_json_schema/object_memory.hpp"

namespace tbt {

class ObjectOutline {
public:
    ObjectOutline(const ObjectShape& shape, const ObjectPlanner& planner, const ObjectGraph& graph,
                  ObjectMemory& memory)
        : shape_(&shape), planner_(&planner), graph_(&graph), memory_(&memory) {}

    // As those of Notebook.
    int outlined(int node, int note);
    int kept(int node, int note);
    int restored(int node, int note, int was);
    bool is_forgotten(int note) const {
        return note == Notebook::forgotten || memory_->note(note).members == unknown;
    }
    // Behind the act of an outline's note: forgotten, but for the act.
    int called(int note, int act);

    // Is so little kept? Where members are counted, serve needs or come in order, any of them
    // matters.
    bool narrow() const {
        return planner_->simple() && !shape_->in_order &&
               (shape_->no_key_twice || shape_->classes.empty());
    }
    std::size_t memory() const { return parts_.memory() + below_.memory(); }
    void forget() { parts_.clear(), below_.clear(); }

private:
    static constexpr int unknown = -1;  // members, of which nothing is known

    int members_below(int members, int low, int high);

    const ObjectShape* shape_;
    const ObjectPlanner* planner_;
    const ObjectGraph* graph_;
    ObjectMemory* memory_;
    // Parts of the tree by low and high; members_below of one, for what was written (−1: nothing
    // of it).
    WordMap parts_, below_;
    std::vector<bool> gone_;  // scratch
};

}  // namespace tbt
