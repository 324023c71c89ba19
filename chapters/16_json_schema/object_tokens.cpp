#include "chapters/16_json_schema/object_tokens.hpp"

#include <algorithm>

#include "chapters/14_grammar/plus.hpp"
#include "chapters/16_json_schema/object_notes.hpp"
#include "lib/index.hpp"

namespace tbt {

using Where = ObjectGraph::Where;

// With the comma before it.
int ObjectTokens::member(const TokenBound& bound, int number) {
    const ObjectPlanner::Act& act = notes_->planner_.act(number);
    const int key = act.member >= 0 ? lengths_.key(act.member, 0)
                                    : plus(notes_->planner_.key_bytes_of_class(act.key_class),
                                           lengths_.colon());
    return plus(lengths_.comma(), plus(key, bound.rule(act.rule)));
}

int ObjectTokens::planned(const TokenBound& bound, int members, bool some) {
    const ObjectWay& plan = notes_->memory_.rest(bound.grammar(), members, some);
    if (plan.bytes >= Grammar::never) return Grammar::never;
    int& known = notes_->memory_.tokens(members, some);
    if (known >= 0) return known;
    known = 0;
    for (const int act : plan.acts) known = plus(known, member(bound, act));
    return known;
}

// A value and everything behind it, without the brace.
int ObjectTokens::behind_key(const TokenBound& bound, int members, int number) {
    const ObjectPlanner::Act& act = notes_->planner_.act(number);
    const int value = bound.rule(act.rule);
    if (!notes_->planner_.simple())
        return plus(value, planned(bound, notes_->memory_.behind(members, number), false));
    const auto required = [&](int a) {
        const int m = notes_->planner_.act(a).member;
        return m >= 0 && at(notes_->shape_.members, m).required;
    };
    const std::vector<int>& plan = notes_->memory_.rest(bound.grammar(), members, false).acts;
    if (!plan.empty() && !required(plan[0])) return value;  // any one had to come
    const int rest = planned(bound, members, false);
    return plus(value, required(number) ? rest - member(bound, number) : rest);
}

// To the value of this member, from a place in its key.
int ObjectTokens::of_key(const TokenBound& bound, int node, const ObjectMemory::Note& note,
                         int number) {
    const ObjectGraph::Position& p = notes_->graph_.at(node);
    const ObjectPlanner::Act& act = notes_->planner_.act(number);
    if (p.where == Where::colon || p.where == Where::class_colon) return lengths_.colon(p.extra);
    if (act.member >= 0)
        return lengths_.key(act.member, notes_->graph_.branch(p.index).bytes) + p.extra;
    const int from = p.where == Where::tree ? notes_->graph_.class_start(act.key_class) : node;
    const int text = p.where == Where::tree ? 0 : note.text;
    return plus(
        bytes_to_end(bound.grammar(), notes_->graph_, notes_->memory_, from, note.others, text),
        lengths_.colon());
}

// In a key: it becomes one of those that must come, if it can; else the one with the fewest bytes.
int ObjectTokens::in_key(const TokenBound& bound, int node, int id) {
    const ObjectGraph::Position& p = notes_->graph_.at(node);
    const ObjectMemory::Note n = notes_->memory_.note(id);
    const auto by = [&](int act) {
        return plus(of_key(bound, node, n, act), behind_key(bound, n.members, act));
    };
    int least = Grammar::never, best = 0;
    const auto plan = [&]() -> const std::vector<int>& {  // by() may move it
        return notes_->memory_.rest(bound.grammar(), n.members, true).acts;
    };
    for (std::size_t i = 0; i < plan().size(); ++i) {
        const int act = plan()[i];
        if (notes_->on_the_way(node, act, id) && notes_->memory_.possible(n.members, act))
            least = std::min(least, by(act));
    }
    if (least < Grammar::never) return least;
    if (p.where == Where::tree) notes_->in_key(bound.grammar(), n, p.index, best);
    else if (p.where == Where::colon)
        notes_->best_of(bound.grammar(), n.members, notes_->planner_.of_member(p.index), best);
    else notes_->best_of(bound.grammar(), n.members, notes_->planner_.of_class(p.index), best);
    return best == 0 ? Grammar::never : by(best);
}

int ObjectTokens::left(const TokenBound& bound, int id) {
    if (lengths_.measure_by(bound)) notes_->memory_.count_anew();
    const int members = notes_->memory_.note(id).members;
    return plus(planned(bound, members, false), lengths_.close());
}

int ObjectTokens::of(const TokenBound& bound, int node, int id) {
    const ObjectGraph::Position& p = notes_->graph_.at(node);
    if (lengths_.measure_by(bound)) notes_->memory_.count_anew();
    const ObjectMemory::Note n = notes_->memory_.note(id);
    const auto from_comma = [&](int tokens, int before_key) {
        return tokens >= Grammar::never ? tokens
                                        : tokens - lengths_.comma() + before_key + lengths_.close();
    };
    switch (p.where) {
        case Where::first:
            if (notes_->memory_.complete(n.members)) return 1;
            return from_comma(planned(bound, n.members, false), lengths_.open());
        case Where::after:
            return plus(planned(bound, n.members, false), lengths_.close());
        case Where::key:
            if (n.others != 0)
                return plus(lengths_.before_key(p.extra),
                            plus(in_key(bound, notes_->graph_.tree(), id), lengths_.close()));
            return from_comma(planned(bound, n.members, true), lengths_.before_key(p.extra));
        case Where::closing:
        case Where::end:
            return notes_->memory_.complete(n.members) ? lengths_.close(p.extra) : Grammar::never;
        default:
            return plus(in_key(bound, node, id), lengths_.close());
    }
}

}  // namespace tbt
