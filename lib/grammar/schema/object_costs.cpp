#include "lib/grammar/schema/object_costs.hpp"

#include <algorithm>

#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/object_notes.hpp"
#include "lib/index.hpp"
#include "lib/text/utf8.hpp"

namespace tbt {

ObjectNotes::Lengths& ObjectNotes::lengths(const Measure& measure) {
    Lengths& l = lengths_[measure.in_tokens()];
    if (l.version == measure.version()) return l;
    l.version = measure.version();
    if (l.id != measure.id()) {
        l.id = measure.id();
        l.before_key = measure.of_suffixes("," + blanks_.comma + "\"");
        l.colon = measure.of_suffixes("\":" + blanks_.colon);
        l.close = measure.of_suffixes(blanks_.close + "}");
        l.keys.assign(shape_.members.size(), {});
        // The nodes inside the blanks do not know what they come after.
        l.open = blanks_.open == blanks_.comma ? before_key(measure, count(blanks_.open))
                                               : 1 + count(blanks_.open);
    }
    const auto members = shape_.members.size();
    l.required.assign(members + 1, 0);
    l.any.assign(members + 1, Grammar::never);
    for (int c = 0; c < count(shape_.classes); ++c)
        for (const int act : graph_.of_class(c))
            l.any[members] = std::min(l.any[members], member_cost(measure, act));
    for (std::size_t m = members; m-- > 0;) {
        int least = Grammar::never;
        for (const int act : graph_.of_member(to_int(m)))
            least = std::min(least, member_cost(measure, act));
        l.any[m] = std::min(l.any[m + 1], least);
        l.required[m] = saturating_add(l.required[m + 1], shape_.members[m].required ? least : 0);
    }
    return l;
}

// Up to the quote of a key, `left` bytes before it.
int ObjectNotes::before_key(const Measure& measure, int left) {
    const std::vector<int>& all = lengths_[measure.in_tokens()].before_key;
    return index(left) + 2 > all.size() ? left + 1 : all[all.size() - 2 - index(left)];
}

// By the bytes of it that were read, with the quote, the colon and blanks. Tokens end and begin
// between letters: inside the spelling of one, a node does not know which it is.
const std::vector<int>& ObjectNotes::key(const Measure& measure, int member) {
    std::vector<int>& key = tbt::at(lengths_[measure.in_tokens()].keys, member);
    if (!key.empty()) return key;
    const std::string& name = tbt::at(shape_.members, member).name;
    std::string text;
    std::vector<bool> cut;
    for (std::size_t i = 0; i < name.size();) {
        const CodePoint c = decode_utf8(name, i);
        cut.push_back(true);
        text += shortest_spelling(c.value, spelling_);
        cut.resize(text.size());
        i += index(c.length);
    }
    text += "\":", text += blanks_.colon;
    cut.resize(text.size(), true);
    key.resize(text.size() + 1);
    measure.of_suffixes(text, cut, key);
    return key;
}

// With the comma before it.
int ObjectNotes::member_cost(const Measure& measure, int number) {
    const ObjectGraph::Act& act = graph_.act(number);
    const Lengths& l = lengths_[measure.in_tokens()];
    const int name = act.member >= 0
                         ? key(measure, act.member)[0]
                         : saturating_add(tbt::at(class_bytes_, act.key_class), l.colon[0]);
    return saturating_add(l.before_key[0], saturating_add(name, measure.rule(act.rule)));
}

// Members that must come after these, each with its comma. some: one at least.
int ObjectNotes::rest(const Measure& measure, int progress, bool some) {
    const Lengths& l = lengths(measure);
    Progress& now = at(progress);
    if (simple()) {
        const int required = l.required[index(now.next)];
        const bool one = some || now.written < shape_.least;
        return now.last < named_ || !one ? required : l.any[index(now.next)];
    }
    Rest& known = now.rest[measure.in_tokens()];
    if (known.version[some] == measure.version()) return known.cost[some];
    const int least = std::max(shape_.least - now.written, some ? 1 : 0);
    std::map<Key, int> table;
    const int cost = shape_.needs == 0
                         ? rest_counted(measure, now, least)
                         : rest_of_needs(measure, now, least, {now.next, now.served, 0}, table);
    known.version[some] = measure.version(), known.cost[some] = cost;
    return cost;
}

// What is required, and of the others the cheapest until there are enough. A key that nobody names
// may come again and again: where none may come twice, there are enough names (named_keys.hpp).
int ObjectNotes::rest_counted(const Measure& measure, const Progress& now, int least) {
    int sum = 0, required = 0;
    std::vector<int> others;
    for (int m = now.next; m < count(shape_.members); ++m) {
        if (m >= named_ && now.gone[index(m - named_)]) continue;
        const int one = member_cost(measure, graph_.of_member(m)[0]);
        if (tbt::at(shape_.members, m).required) sum = saturating_add(sum, one), ++required;
        else others.push_back(one);
    }
    const auto missing = index(std::max(0, least - required));
    if (shape_.most >= 0 && now.written + required + to_int(missing) > shape_.most)
        return Grammar::never;
    std::sort(others.begin(), others.end());
    const int any = lengths_[measure.in_tokens()].any.back();
    for (std::size_t i = 0; i < missing; ++i)
        sum = saturating_add(sum, i < others.size() ? std::min(others[i], any) : any);
    return sum;
}

// Members from this one on, each written or not; after the last of them those of classes.
int ObjectNotes::rest_of_needs(const Measure& measure, const Progress& now, int least, Key from,
                               std::map<Key, int>& known) {
    const auto& [m, served, added] = from;
    if (shape_.most >= 0 && now.written + added > shape_.most) return Grammar::never;
    const bool end = m == count(shape_.members);
    if (end && served == shape_.needs && added >= least) return 0;
    if (end && shape_.most >= 0 && now.written + added >= shape_.most) return Grammar::never;
    const auto [place, unknown] = known.try_emplace(from, Grammar::never);
    if (!unknown) return place->second;
    const int next = std::min(added + 1, shape_.most >= 0 ? shape_.most + 1 : least);
    int best = Grammar::never;
    const auto write = [&](int number, int to) {
        const ObjectGraph::Act& act = graph_.act(number);
        const bool helps = to < m + 1 ? (act.serves & ~served) != 0 || added < least : true;
        const int one = member_cost(measure, number);
        if ((act.serves & served) != 0 || !helps || one >= best) return;
        best = std::min(best,
                        saturating_add(one, rest_of_needs(measure, now, least,
                                                          {to, served | act.serves, next}, known)));
    };
    if (end) {
        for (int c = 0; c < count(shape_.classes); ++c)
            for (const int number : graph_.of_class(c)) write(number, m);
    } else {
        const bool gone = m >= named_ && now.gone[index(m - named_)];
        if (!gone)
            for (const int number : graph_.of_member(m)) write(number, m + 1);
        if (gone || !tbt::at(shape_.members, m).required)
            best =
                std::min(best, rest_of_needs(measure, now, least, {m + 1, served, added}, known));
    }
    known[from] = best;
    return best;
}

// The value of one of them and everything after it, without the brace.
int ObjectNotes::best_of(const Measure& measure, int progress, const Acts& acts) {
    int least = Grammar::never;
    for (const int a : acts) {
        if (!possible(at(progress), a)) continue;
        const int value = measure.rule(graph_.act(a).rule);
        if (value < least)
            least =
                std::min(least, saturating_add(value, rest(measure, after(progress, a), false)));
    }
    return least;
}

// From a branch of the tree of keys.
int ObjectNotes::in_tree(const Measure& measure, const ObjectGraph::Position& p, const Note& n) {
    const ObjectGraph::Branch& b = graph_.branch(p.index);
    int least = Grammar::never;
    for (int i = b.low; i < b.high; ++i) {
        const int m = graph_.member(i);
        if (m < named_ && (m < at(n.progress).next || m > at(n.progress).last)) continue;
        const int name = key(measure, m)[index(b.bytes)];
        if (name < least)
            least = std::min(
                least, saturating_add(name, best_of(measure, n.progress, graph_.of_member(m))));
    }
    for (int c = 0; p.index == 0 && c < count(shape_.classes); ++c)
        least = std::min(
            least, saturating_add(saturating_add(bytes_to_end(measure.grammar(),
                                                              graph_.class_start(c), n.others, 0),
                                                 lengths(measure).colon[0]),
                                  best_of(measure, n.progress, graph_.of_class(c))));
    return saturating_add(least, p.extra);
}

// In a key, or after it: up to the end of the object, without the brace.
int ObjectNotes::in_key(const Measure& measure, int node, const Note& n) {
    const ObjectGraph::Position& p = graph_.at(node);
    const std::vector<int>& colon = lengths(measure).colon;
    const auto colon_left = [&] { return colon[colon.size() - 1 - index(p.extra)]; };
    switch (p.where) {
        case Where::tree:
            return p.extra >= Grammar::never ? p.extra : in_tree(measure, p, n);
        case Where::colon:
            return saturating_add(colon_left(),
                                  best_of(measure, n.progress, graph_.of_member(p.index)));
        case Where::class_colon:
            if (stands(n.others, n.text)) return Grammar::never;
            return saturating_add(colon_left(),
                                  best_of(measure, n.progress, graph_.of_class(p.index)));
        default:
            return saturating_add(
                saturating_add(bytes_to_end(measure.grammar(), node, n.others, n.text), colon[0]),
                best_of(measure, n.progress, graph_.of_class(p.index)));
    }
}

int ObjectNotes::cost(const Measure& measure, int node, int id) {
    if (id == forgotten) return 0;
    const ObjectGraph::Position& p = graph_.at(node);
    const Note n = note(id);
    const Lengths& l = lengths(measure);
    const int close = l.close[0];
    const auto from_comma = [&](int members, int before) {
        return members >= Grammar::never ? members : members - l.before_key[0] + before + close;
    };
    switch (p.where) {
        case Where::first:
            if (complete(at(n.progress))) return 1;
            return from_comma(rest(measure, n.progress, false), l.open);
        case Where::after:
            return saturating_add(rest(measure, n.progress, false), close);
        case Where::key:
            if (n.others != 0)
                return saturating_add(before_key(measure, p.extra),
                                      saturating_add(in_key(measure, graph_.tree(), n), close));
            return from_comma(rest(measure, n.progress, true), before_key(measure, p.extra));
        case Where::closing:
        case Where::end:
            return complete(at(n.progress)) ? l.close[l.close.size() - 1 - index(p.extra)]
                                            : Grammar::never;
        default:
            return saturating_add(in_key(measure, node, n), close);
    }
}

// In a key one member below it is enough; which is cheapest does not matter.
bool ObjectNotes::alive(const Measure& bytes, int node, int id) {
    const ObjectGraph::Position& p = graph_.at(node);
    if (p.where != Where::tree || p.index == 0 || !simple() || id == forgotten)
        return cost(bytes, node, id) < Grammar::never;
    const ObjectGraph::Branch& b = graph_.branch(p.index);
    const int progress = note(id).progress;
    for (int i = b.low; i < b.high; ++i) {
        const int act = graph_.of_member(graph_.member(i))[0];
        if (possible(at(progress), act) && bytes.rule(graph_.act(act).rule) < Grammar::never)
            return p.extra < Grammar::never &&
                   rest(bytes, after(progress, act), false) < Grammar::never;
    }
    return false;
}

// ---- keys that nobody names ----

// The fewest bytes to the end of such a key, such that it comes once. As soon as no key that was
// written begins so, it goes on as if there were none. Grammar::never: all that it may become were
// written.
int ObjectNotes::bytes_to_end(const Grammar& grammar, int node, int others, int text) const {
    if (!risky(others, text)) return graph_.at(node).to_end;
    const std::vector<Grammar::ByteEdge>& edges = grammar.node(node).bytes;
    const auto risky_after = [&](int byte) {
        const int next = keys_.behind(text, static_cast<std::uint8_t>(byte));
        return risky(others, next) ? next : nowhere;
    };
    int least = Grammar::never;
    for (const Grammar::ByteEdge& e : edges) {
        if (!e.annotated && !stands(others, text)) return 0;
        if (!e.annotated || 1 + graph_.at(e.to).to_end >= least) continue;
        for (int byte = e.low; byte <= e.high; ++byte) {
            if (risky_after(byte) >= 0) continue;
            least = 1 + graph_.at(e.to).to_end;
            break;
        }
    }
    // Is it shorter to go on along one that was written?
    for (const Grammar::ByteEdge& e : edges) {
        for (int byte = e.low; e.annotated && byte <= e.high; ++byte) {
            if (1 + graph_.at(e.to).to_end >= least) break;
            if (const int next = risky_after(byte); next >= 0)
                least = std::min(least, 1 + bytes_to_end(grammar, e.to, others, next));
        }
    }
    return least;
}

}  // namespace tbt
