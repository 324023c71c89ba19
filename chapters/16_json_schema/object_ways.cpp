#include "chapters/16_json_schema/object_ways.hpp"

#include <algorithm>

#include "chapters/16_json_schema/object_notes.hpp"
#include "lib/index.hpp"

namespace tbt {

namespace {

constexpr std::size_t few = 4;  // so many members that must come are tried in every order

}  // namespace

using Where = ObjectGraph::Where;

// The member that would come is one of a class of which all keys stand there.
bool ObjectWays::used_up(const Grammar& grammar, const ObjectMemory::Note& note) {
    const Acts& plan = notes_->memory_.rest(grammar, note.members, true).acts;
    if (note.others == 0 || plan.empty() || notes_->planner_.act(plan[0]).key_class < 0)
        return false;
    const int start = notes_->graph_.class_start(notes_->planner_.act(plan[0]).key_class);
    return bytes_to_end(grammar, notes_->graph_, notes_->memory_, start, note.others, 0) >=
           Grammar::never;
}

// All that must come and, where there must be more, all that may.
bool ObjectWays::any_order(const Grammar& grammar, int node, int id, Acts& next,
                           Notebook::Choice& left) {
    const ObjectGraph::Position& p = notes_->graph_.at(node);
    const bool in_member = p.where == Where::tree || p.where == Where::colon,
               some = in_member || p.where == Where::key;
    if (notes_->shape_.needs != 0 || notes_->shape_.in_order) return false;
    if (!some && p.where != Where::first && p.where != Where::after) return false;
    const int members = notes_->memory_.note(id).members;
    const Acts plan = notes_->memory_.rest(grammar, members, some).acts;
    if (std::any_of(plan.begin(), plan.end(),
                    [&](int a) { return notes_->planner_.act(a).member < 0; }))
        return false;
    for (int m = 0; m < count(notes_->shape_.members); ++m) {
        const int act = notes_->planner_.of_member(m)[0];
        if (!notes_->memory_.possible(members, act) ||
            notes_->planner_.bytes(grammar, act) >= Grammar::never)
            continue;
        (at(notes_->shape_.members, m).required ? left.must : left.may).push_back(act);
    }
    left.more = count(plan) - count(left.must);
    if (left.more <= 0) left.may.clear();
    for (int c = 0; c < count(notes_->shape_.classes); ++c)
        left.others.push_back(notes_->planner_.of_class(c)[0]);
    for (const Acts* acts : {&left.must, &left.may})
        for (const int act : *acts)
            if (!in_member || notes_->on_the_way(node, act, id)) next.push_back(act);
    if (int best = 0; next.empty() && in_member) {
        if (p.where == Where::colon)
            notes_->best_of(grammar, members, notes_->planner_.of_member(p.index), best);
        else notes_->best_below(grammar, members, p.index, best);
        if (best != 0) next.push_back(best);
    }
    return !plan.empty() && !next.empty();
}

// Everything that must come, in the order of members or, where it is little, in any.
void ObjectWays::from(const Grammar& grammar, int members, bool some, std::vector<Acts>& found) {
    Acts acts = notes_->memory_.rest(grammar, members, some).acts;
    Acts sorted = acts;
    const ObjectShape& shape = notes_->shape_;
    const bool chosen = std::any_of(acts.begin(), acts.end(), [&](int act) {
        const int m = notes_->planner_.act(act).member;
        return m < 0 || !at(shape.members, m).required;
    });
    left_out_ = left_out_ || (sorted.size() > few && !shape.in_order) ||
                (chosen && shape.members.size() + shape.classes.size() > acts.size());
    do {
        found.push_back(acts);
        found.back().push_back(Notebook::the_end);
    } while (sorted.size() <= few && !notes_->shape_.in_order &&
             std::next_permutation(acts.begin(), acts.end()));
}

void ObjectWays::behind(const Grammar& grammar, int members, int act, std::vector<Acts>& found) {
    const std::size_t first = found.size();
    from(grammar, notes_->memory_.behind(members, act), false, found);
    for (std::size_t i = first; i < found.size(); ++i) found[i].insert(found[i].begin(), act);
}

void ObjectWays::find(const Grammar& grammar, int node, int id, std::vector<Acts>& found) {
    const ObjectGraph::Position& p = notes_->graph_.at(node);
    const ObjectMemory::Note n = notes_->memory_.note(id);
    int best = 0;
    if (p.where == Where::first || p.where == Where::after) {
        return from(grammar, n.members, false, found);
    } else if (p.where == Where::key && !used_up(grammar, n)) {
        return from(grammar, n.members, true, found);
    } else if (p.where == Where::closing || p.where == Where::end) {
        return found.push_back({Notebook::the_end});
    } else if (p.where == Where::colon) {
        notes_->best_of(grammar, n.members, notes_->planner_.of_member(p.index), best);
    } else if (p.where == Where::of_class || p.where == Where::class_colon) {
        notes_->best_of(grammar, n.members, notes_->planner_.of_class(p.index), best);
    } else if (n.others != 0 &&
               (p.where == Where::key || (p.index == 0 && p.extra == 0 && used_up(grammar, n)))) {
        notes_->in_key(grammar, n, 0, best);
    } else {
        // In a key: it becomes one of those that must come, if it can.
        const ObjectGraph::Branch& b = notes_->graph_.branch(p.index);
        const Acts plan =
            notes_->memory_.rest(grammar, n.members, true).acts;  // a copy: there may be more
        bool any = false;
        for (const int act : plan) {
            const int m = notes_->planner_.act(act).member;
            const bool below =
                m >= 0 ? b.low <= notes_->graph_.place(m) && notes_->graph_.place(m) < b.high
                       : p.index == 0 && p.extra == 0;
            if (!below || (any && (plan.size() > few || notes_->shape_.in_order))) continue;
            behind(grammar, n.members, act, found);
            any = true;
        }
        if (any) return;
        notes_->best_below(grammar, n.members, p.index, best);
    }
    behind(grammar, n.members, best, found);
}

}  // namespace tbt
