#include "chapters/14_grammar/grammar_costs.hpp"

#include <algorithm>

#include "chapters/14_grammar/flat_rules.hpp"
#include "chapters/14_grammar/token_walk.hpp"
#include "lib/index.hpp"

namespace tbt {

GrammarCosts::GrammarCosts(GrammarMachine& machine, const TokenTrie& trie)
    : machine_(&machine),
      trie_(&trie),
      bound_(machine, trie),
      groups_(machine.grammar()),
      cutter_(trie),
      words_(trie, cutter_),
      flat_(flat_rules(machine.grammar())) {}

ExitList GrammarCosts::of_rule(int rule, int trie) {
    const auto key = static_cast<std::uint64_t>(rule) << 32 | static_cast<std::uint32_t>(trie);
    if (const ExitList* known = rules_.find(key)) return *known;
    OneExitDraft draft(drafts_);
    return rules_.add(
        key, explore({machine_->grammar().rule(rule).start, 0, trie}, {rule, -1, 0}, *draft));
}

ExitList GrammarCosts::of_place(int node, int note, int trie) {
    const int notebook = machine_->grammar().node(node).notebook;
    if (notebook >= 0) note = machine_->grammar().notebook(notebook).on_ways(node, note);
    const Step step{node, note, trie};
    if (const ExitList* known = places_.find(step)) return *known;
    OneExitDraft draft(drafts_);
    if (notebook >= 0) object(step, draft->exits);
    return places_.add(step, notebook >= 0 ? draft->exits : explore(step, {}, *draft));
}

ExitList GrammarCosts::of_stretch(int node, int note, int act, int trie) {
    auto& table = note == Notebook::forgotten ? lasting_ : stretches_;
    const Stretch key{{node, note, trie}, act};
    if (const ExitList* known = table.find(key)) return *known;
    OneExitDraft draft(drafts_);
    return table.add(key,
                     explore(key.from, {-1, machine_->grammar().node(node).notebook, act}, *draft));
}

// Behind the exits of a stretch, the rest of a way.
void GrammarCosts::follow(ExitList stretch, const Step& between, int way, Exits& exits) {
    for (const Exit& e : stretch) {
        if (way == 0) {
            add_exit(exits, e.node, e.tokens);
            continue;
        }
        for (const Exit& x : of_way({between.node, between.note, e.node}, way))
            add_exit(exits, x.node, plus(e.tokens, x.tokens));
    }
}

// From the place between two stretches, of which there may be thousands: a list of what is open in
// place of recursion.
ExitList GrammarCosts::of_way(const Step& from, int way) {
    if (const ExitList* known = rests_.find({from, way})) return *known;
    Notebook& notes = machine_->grammar().notebook(machine_->grammar().node(from.node).notebook);
    std::vector<std::pair<int, int>> open{{from.trie, way}};  // node of the tree, way
    while (!open.empty()) {
        const auto [trie, now] = open.back();
        const Step at{from.node, from.note, trie};
        const int act = ways_[now].act;
        const ExitList stretch =
            of_stretch(at.node, notes.on_stretch(at.node, act, at.note), act, trie);
        const int rest = ways_[now].rest;
        bool ready = true;
        for (const Exit& e : stretch) {
            if (rest == 0 || rests_.find({{at.node, at.note, e.node}, rest})) continue;
            open.emplace_back(e.node, rest);
            ready = false;
        }
        if (!ready) continue;
        open.pop_back();
        if (rests_.find({at, now})) continue;
        OneExitDraft draft(drafts_);
        follow(stretch, at, rest, draft->exits);
        cutter_.cut(draft->exits);
        rests_.add({at, now}, draft->exits);
    }
    return *rests_.find({from, way});
}

// The ways of a notebook, stretch by stretch.
void GrammarCosts::object(const Step& from, Exits& exits) {
    if (orders_of(from.node).find(from, exits)) return;
    exits.clear();
    const auto& [node, note, trie] = from;
    Notebook& notes = machine_->grammar().notebook(machine_->grammar().node(node).notebook);
    std::vector<std::vector<int>> ways;
    notes.ways(machine_->grammar(), node, note, ways);
    const int between = notes.behind_calls();
    for (const std::vector<int>& acts : ways) {
        // What later stretches depend on: mostly on nothing, and ends of ways are shared.
        int later = Notebook::forgotten;
        for (std::size_t i = 1; i < acts.size() && later == Notebook::forgotten; ++i)
            later = notes.on_stretch(between, acts[i], note);
        const int way = ways_.of(acts), here = notes.on_stretch(node, acts[0], note);
        follow(of_stretch(node, here, acts[0], trie), {between, later, 0}, ways_[way].rest, exits);
    }
    cutter_.cut(exits);
}

// The same walk where no token is begun.
ExitList GrammarCosts::from_root(const Step& from, const Goal& goal) {
    if (goal.notebook >= 0) return of_stretch(from.node, from.note, goal.act, root);
    return goal.rule >= 0 ? of_rule(goal.rule, root) : of_place(from.node, from.note, root);
}

const TokenExits& GrammarCosts::explore(const Step& from, const Goal& goal, ExitDraft& draft) {
    Grammar& grammar = machine_->grammar();
    TokenWalk walk(grammar, *trie_, words_, groups_, draft.walk, from);
    const auto leave = [&](ExitList exits, int tokens) {
        for (const Exit& e : exits) draft.leave(*trie_, e.node, plus(tokens, e.tokens));
    };
    const auto follow = [&](const Grammar::CallEdge& e, const TokenWalk::Step& at) {
        const Grammar::Rule& rule = grammar.rule(e.rule);
        if (rule.cost >= Grammar::never || e.detour) return false;
        if (goal.notebook >= 0) return e.act == goal.act;
        if (flat_[index(e.rule)]) return grammar.node(e.to).cost < Grammar::never;
        const bool nearer = rule.cost + grammar.node(e.to).cost <= grammar.node(at.node).cost;
        const bool nothing_read = walk.tokens() == 0 && at.trie == from.trie;
        return nearer &&
               (goal.rule < 0 || nothing_read || rule.cost < grammar.rule(goal.rule).cost);
    };
    const bool token_begun = token_at(from.trie) >= 0;
    // Every rule that such a walk calls is flat: from a place further on it is the place's own.
    const int cost = goal.notebook >= 0 || (goal.rule >= 0 && !flat_[index(goal.rule)])
                         ? 0
                         : grammar.node(from.node).cost;
    for (TokenWalk::Step at; walk.next(at, draft.best);) {
        const int tokens = walk.tokens();
        if (token_begun && tokens == 1 && at == Step{from.node, from.note, root}) {
            leave(from_root(from, goal), tokens);
            continue;
        }
        if (at.trie == root && cost <= most_shared && grammar.node(at.node).cost < cost &&
            grammar.node(at.node).notebook < 0) {
            leave(of_place(at.node, at.note, root), tokens);
            continue;
        }
        grammar.expand(at.node);
        const bool inside = grammar.node(at.node).notebook >= 0;
        if (inside && goal.notebook < 0) {  // an object of this rule's own
            leave(of_place(at.node, at.note, at.trie), tokens);
            continue;
        }
        if (grammar.node(at.node).final) draft.leave(*trie_, at.trie, tokens);
        for (std::size_t i = 0; i < grammar.node(at.node).calls.size(); ++i) {
            const Grammar::CallEdge e = grammar.node(at.node).calls[i];
            if (!follow(e, at)) continue;
            const ExitList called = of_rule(e.rule, at.trie);
            if (inside) leave(called, tokens);
            else
                for (const Exit& x : called) walk.arrive({e.to, 0, x.node}, plus(tokens, x.tokens));
        }
        walk.follow_bytes(at, goal.notebook, goal.act);
    }
    cutter_.cut(draft.exits);
    return draft.exits;
}

int GrammarCosts::from_place(const Place& place, int trie) {
    int least = never;
    for (const Exit& e : of_place(place.node, place.note, trie))
        if (e.tokens < least) least = std::min(least, plus(e.tokens, behind(place.behind, e.node)));
    return least;
}

// The outermost ones first, so that nothing recurses deeply: what is behind a continuation was
// made before it.
int GrammarCosts::behind(int continuation, int trie) {
    if (continuation == GrammarMachine::whole_text)
        return trie == root ? 0 : token_at(trie) >= 0 ? 1 : never;
    if (GrammarMachine::is_forgotten(continuation)) return never;
    const std::uint64_t key =
        static_cast<std::uint64_t>(continuation) << 32 | static_cast<std::uint32_t>(trie);
    if (const int known = behind_.find(key); known >= 0) return known;
    if (settled_.size() <= index(continuation)) settled_.resize(index(continuation) + 1);
    if (!settled_[index(continuation)]) {
        std::vector<int> open{continuation}, all;
        settled_[index(continuation)] = 1;
        while (!open.empty()) {
            const int now = open.back();
            open.pop_back();
            all.push_back(now);
            for (const Place& p : machine_->places_behind(now)) {
                if (p.behind <= GrammarMachine::most_slots || settled_[index(p.behind)]) continue;
                settled_[index(p.behind)] = 1;
                open.push_back(p.behind);
            }
        }
        std::sort(all.begin(), all.end());
        for (const int outer : all) behind(outer, root);
    }
    int least = never;
    for (const Place& p : machine_->places_behind(continuation))
        least = std::min(least, from_place(p, trie));
    behind_.set(key, least);
    return least;
}

int GrammarCosts::tokens(State state) {
    if (machine_->accepts(state)) return 0;
    int least = bound_.of(state);
    if (too_far(state)) return least;
    for (const Place& p : machine_->places(state)) least = std::min(least, from_place(p, root));
    return least;
}

// What an outline has forgotten, put back.
GrammarCosts::Place GrammarCosts::meant(Place p, Slots slots) const {
    if (!GrammarMachine::is_forgotten(p.behind)) return p;
    const Place& slot = slots[index(p.behind - 1)];
    const int notebook = machine_->grammar().node(p.node).notebook;
    if (notebook >= 0)
        p.note = machine_->grammar().notebook(notebook).restored(p.node, p.note, slot.note);
    p.behind = slot.behind;
    return p;
}

// Does a continuation end in something forgotten?
bool GrammarCosts::hollow(int continuation) {
    if (continuation <= GrammarMachine::most_slots) return continuation != 0;
    if (hollow_.size() <= index(continuation)) hollow_.resize(index(continuation) + 1, unknown);
    if (hollow_[index(continuation)] == unknown) {
        const auto places = machine_->places_behind(continuation);
        const bool any = std::any_of(places.begin(), places.end(),
                                     [&](const Place& p) { return hollow(p.behind); });
        hollow_[index(continuation)] = any ? yes : no;
    }
    return hollow_[index(continuation)] == yes;
}

int GrammarCosts::from_meant(Place p, int trie, Slots slots) {
    p = meant(p, slots);
    if (!hollow(p.behind)) return from_place(p, trie);
    int least = never;
    for (const Exit& e : of_place(p.node, p.note, trie))
        for (const Place& place : machine_->places_behind(p.behind))
            least = std::min(least, plus(e.tokens, from_meant(place, e.node, slots)));
    return least;
}

int GrammarCosts::bound_meant(Place p, Slots slots) {
    p = meant(p, slots);
    if (!hollow(p.behind)) return bound_.of(p);
    int least = never;
    for (const Place& place : machine_->places_behind(p.behind))
        least = std::min(least, bound_meant(place, slots));
    return plus(least, bound_.here(p));
}

// In a key that may still become one that stands there: the quote at once is a way to the end, of
// which more is known than of this place.
bool GrammarCosts::within(Place p, int enough) {
    const Grammar::Node& node = machine_->grammar().node(p.node);
    if (node.notebook < 0 || hollow(p.behind)) return false;
    if (std::none_of(node.bytes.begin(), node.bytes.end(), [](const auto& e) { return e.noted; }))
        return false;
    for (const Grammar::ByteEdge& e : node.bytes) {
        if (e.noted || e.low != e.high) continue;
        const Place behind{e.to, p.behind, p.note};
        return machine_->cost(behind) < never && plus(1, from_place(behind, root)) <= enough;
    }
    return false;
}

int GrammarCosts::bound_behind(State state, State reached) {
    if (machine_->accepts(reached)) return 0;
    const Slots slots = machine_->slots(state);
    int least = never;
    for (const Place& p : machine_->places(reached)) {
        if (slots.empty() && hollow(p.behind)) return -1;
        least = std::min(least, bound_meant(p, slots));
    }
    return least;
}

int GrammarCosts::tokens_behind(State state, State reached, int enough) {
    int least = bound_behind(state, reached);
    if (least <= enough || too_far(reached)) return least;
    const int longest = std::max(1, trie_->longest());  // of a token, in bytes
    if (machine_->closing_bytes(reached) > static_cast<long long>(enough) * longest) return least;
    const Slots slots = machine_->slots(state);
    for (const Place& p : machine_->places(reached))
        if (within(meant(p, slots), enough)) return enough;
    for (const Place& p : machine_->places(reached)) {
        if (least <= enough) return least;
        least = std::min(least, from_meant(p, root, slots));
    }
    return least;
}

}  // namespace tbt
