#include "chapters/16_json_schema/object_outline.hpp"

#include <algorithm>

#include "lib/index.hpp"

namespace tbt {

namespace {

using Where = ObjectGraph::Where;

}  // namespace

int ObjectOutline::outlined(int node, int id) {
    ObjectMemory::Note n = memory_->note(id);
    if (narrow()) {
        n.brief = true;
        return kept(node, memory_->note_of(n));
    }
    if (shape_->classes.empty() || !shape_->no_key_twice) return id;
    // Whoever is in a key that is not the beginning of one that stands there need not know which
    // do.
    const ObjectGraph::Position& p = graph_->at(node);
    if (p.where == Where::of_class && p.endless && !memory_->risky(n.others, n.text))
        return memory_->note_of({n.members, 0, ObjectMemory::a_new_one, true});
    n.brief = true;
    return memory_->note_of(n);
}

// All but those that are left of the members from low to high, in the order of the tree, count as
// written: nothing that is outside has to come.
int ObjectOutline::members_below(int members, int low, int high) {
    const auto word = [](int a, int b) {
        return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
    };
    bool fresh = true;
    for (int i = low; i < high && fresh; ++i) fresh = !memory_->gone(members, graph_->member(i));
    const int part = parts_.find_or_add(word(low, high), to_int(parts_.size()));
    const std::uint64_t key = word(part, fresh ? -1 : members);
    if (const int known = below_.find(key); known >= 0) return known;
    gone_.assign(shape_->members.size(), true);
    for (int i = low; i < high; ++i)
        at(gone_, graph_->member(i)) = memory_->gone(members, graph_->member(i));
    const int made = memory_->members_with(gone_);
    below_.set(key, made);
    return made;
}

int ObjectOutline::kept(int node, int id) {
    const ObjectMemory::Note n = memory_->note(id);
    if (!n.brief || n.members == unknown || !narrow()) return id;
    const ObjectGraph::Position& p = graph_->at(node);
    const auto only = [&](int low, int high) { return members_below(n.members, low, high); };
    if (p.where == Where::tree && (p.index > 0 || p.extra > 0)) {
        const ObjectGraph::Branch& b = graph_->branch(p.index);
        return memory_->note_of({only(b.low, b.high), 0, ObjectMemory::nowhere, true});
    }
    if (p.where == Where::colon) {
        const int place = graph_->place(p.index);
        return memory_->note_of({only(place, place + 1), 0, ObjectMemory::nowhere, true});
    }
    if (p.where == Where::of_class || p.where == Where::class_colon) {
        const bool matters = !p.endless || memory_->risky(n.others, n.text);
        const bool one_of_them =
            p.where == Where::of_class ? matters : memory_->stands(n.others, n.text);
        return memory_->note_of({only(0, 0), one_of_them ? memory_->of_those(n.others, n.text) : 0,
                                 one_of_them ? n.text : ObjectMemory::a_new_one, true});
    }
    if ((p.where == Where::closing || p.where == Where::end) && memory_->complete(n.members))
        return memory_->note_of({only(0, 0), 0, ObjectMemory::nowhere, true});
    return id;
}

int ObjectOutline::called(int id, int act) {
    return memory_->note(id).brief && narrow() && !is_forgotten(id)
               ? memory_->note_of({unknown, act, ObjectMemory::nowhere, true})
               : memory_->called(id, act);
}

// Behind a member whose act is forgotten, it was one that nobody names.
int ObjectOutline::restored(int node, int id, int was) {
    if (was == Notebook::forgotten) return id;
    const ObjectMemory::Note n = memory_->note(id), before = memory_->note(was);
    if (is_forgotten(id)) {
        const int act = id == Notebook::forgotten ? 0 : n.others;
        const int members = act > 0 ? memory_->behind(before.members, act)
                            : graph_->at(node).where == Where::after
                                ? memory_->behind(before.members, planner_->of_class(0)[0])
                                : before.members;
        return memory_->note_of({members, before.others, ObjectMemory::a_new_one});
    }
    return n.brief && narrow() ? memory_->note_of({before.members, before.others, n.text}) : id;
}

}  // namespace tbt
