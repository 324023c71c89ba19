#include "chapters/16_json_schema/object_source.hpp"

#include <algorithm>

#include "chapters/16_json_schema/shortest_object.hpp"

namespace tbt {

int add_blanks(Grammar& grammar, int from, int most) {
    const std::vector<ByteSequence> blank = {{{{' ', ' '}, {'\t', '\n'}, {'\r', '\r'}}}};
    const int out = grammar.add_node();
    if (most < 0) {
        const int loop = grammar.add_node();
        grammar.skip(from, loop);
        grammar.sequences(loop, blank, loop);
        grammar.skip(loop, out);
        return out;
    }
    for (int i = 0; i < most; ++i) {
        grammar.skip(from, out);
        from = grammar.sequences(from, blank);
    }
    grammar.skip(from, out);
    return out;
}

namespace {

int spelled_bytes(std::int32_t low, std::int32_t high, Spelling spelling) {
    std::size_t shortest = 12;
    for (const ByteSequence& s : spell(CodePointSet(low, high), spelling))
        shortest = std::min(shortest, s.size());
    return static_cast<int>(shortest);
}

int shortest_character(const CodePointSet& set, Spelling spelling) {
    if (!(set & CodePointSet('0', '9')).empty() || !(set & CodePointSet('a', 'z')).empty())
        return 1;
    int shortest = 12;
    for (const CodePointSet::Range& r : set.ranges())
        shortest = std::min(shortest, spelled_bytes(r.low, r.high, spelling));
    return shortest;
}

// The fewest bytes of a text of the language: shortest paths, where an edge is as long as its
// shortest character.
int shortest_text(const Dfa& dfa, Spelling spelling) {
    std::vector<int> distance(dfa.states.size(), Grammar::never);
    distance[0] = 0;
    for (bool nearer = true; nearer;) {
        nearer = false;
        for (std::size_t s = 0; s < dfa.states.size(); ++s) {
            if (distance[s] >= Grammar::never) continue;
            for (const Dfa::Edge& e : dfa.states[s].edges) {
                int& to = distance[static_cast<std::size_t>(e.to)];
                const int step = shortest_character(e.on, spelling);
                if (distance[s] + step < to) to = distance[s] + step, nearer = true;
            }
        }
    }
    int least = Grammar::never;
    for (std::size_t s = 0; s < dfa.states.size(); ++s) {
        if (dfa.states[s].accepting) least = std::min(least, distance[s]);
    }
    return least;
}

}  // namespace

ObjectSource::ObjectSource(ObjectShape shape, int most_blanks, Spelling spelling)
    : shape_(std::move(shape)), most_blanks_(most_blanks), spelling_(spelling) {
    for (const ObjectShape::Member& m : shape_.members) {
        int bytes = 0;
        for (const std::int32_t c : code_points_of(m.name, "key"))
            bytes += spelled_bytes(c, c, spelling_);
        member_bytes_.push_back(bytes);
    }
    for (const ObjectShape::KeyClass& c : shape_.classes)
        class_bytes_.push_back(shortest_text(c.keys, spelling_));
}

int ObjectSource::first_node(Grammar& grammar, int index) {
    index_ = index;
    return node_at(grammar, {Where::first, std::vector<bool>(shape_.members.size()), 0, 0});
}

int ObjectSource::node_at(Grammar& grammar, const Spot& spot) {
    const auto [place, added] = nodes_.try_emplace(spot, 0);
    if (added) {
        place->second = grammar.add_node();
        grammar.node(place->second).source = index_;
        spots_[place->second] = spot;
    }
    return place->second;
}

ObjectSource::Spot ObjectSource::behind_member(const Spot& spot, int member, Needs serves) const {
    Spot then = spot;
    then.where = Where::after;
    then.served |= serves;
    if (member >= 0) then.seen[static_cast<std::size_t>(member)] = true;
    if (shape_.most >= 0 || spot.count < shape_.least) ++then.count;
    return then;
}

bool ObjectSource::complete(const Spot& spot) const {
    for (std::size_t m = 0; m < shape_.members.size(); ++m) {
        if (shape_.members[m].required && !spot.seen[m]) return false;
    }
    return spot.served == shape_.needs && spot.count >= shape_.least &&
           (shape_.most < 0 || spot.count <= shape_.most);
}

int ObjectSource::cost(const Grammar& grammar, int node) const {
    const Spot& spot = spots_.at(node);
    ShortestObject search(grammar, shape_, member_bytes_, class_bytes_, spot.seen);
    const int more = search.bytes(spot.served, spot.count, spot.where == Where::key);
    if (more >= Grammar::never) return Grammar::never;
    // Each further member has a comma before it, except where one stands already.
    return spot.where == Where::after || more == 0 ? more + 1 : more;
}

std::vector<int> ObjectSource::rules() const {
    std::vector<int> rules;
    for (const ObjectShape::Member& m : shape_.members) {
        for (const auto& [serves, rule] : m.values) rules.push_back(rule);
    }
    for (const ObjectShape::KeyClass& c : shape_.classes) {
        for (const auto& [serves, rule] : c.values) rules.push_back(rule);
    }
    return rules;
}

void ObjectSource::expand(Grammar& grammar, int node) {
    const Spot spot = spots_.at(node);
    const int inner = grammar.add_node();
    grammar.skip(node, inner);
    const int at = add_blanks(grammar, inner, most_blanks_);
    if (complete(spot) && spot.where != Where::key) {
        const int end = grammar.add_node();
        grammar.edge(at, '}', '}', end);
        grammar.node(end).final = true;
    }
    if (spot.where == Where::after) {
        Spot next = spot;
        next.where = Where::key;
        grammar.edge(at, ',', ',', node_at(grammar, next));
    } else if (shape_.most < 0 || spot.count < shape_.most) {
        add_keys(grammar, at, spot);
    }
}

void ObjectSource::add_keys(Grammar& grammar, int from, const Spot& spot) {
    const auto possible = [&](const ObjectShape::Values& values) {
        return std::any_of(values.begin(), values.end(), [&](const auto& v) {
            return grammar.rule(v.second).cost < Grammar::never;
        });
    };
    const int key = grammar.bytes(from, "\"");
    for (std::size_t m = 0; m < shape_.members.size(); ++m) {
        const ObjectShape::Member& member = shape_.members[m];
        if (spot.seen[m] || !possible(member.values)) continue;
        int at = key;
        for (const std::int32_t c : code_points_of(member.name, "key"))
            at = grammar.sequences(at, spell(CodePointSet(c, c), spelling_));
        add_values(grammar, at, member.values, static_cast<int>(m), spot);
    }
    for (const ObjectShape::KeyClass& c : shape_.classes) {
        if (possible(c.values))
            add_values(grammar, add_dfa(grammar, c.keys, key, spelling_), c.values, -1, spot);
    }
}

void ObjectSource::add_values(Grammar& grammar, int behind_key, const ObjectShape::Values& values,
                              int member, const Spot& spot) {
    const int colon = add_blanks(grammar, grammar.bytes(behind_key, "\""), most_blanks_);
    const int value = add_blanks(grammar, grammar.bytes(colon, ":"), most_blanks_);
    for (const auto& [serves, rule] : values) {
        if ((serves & spot.served) != 0) continue;  // served by another already
        grammar.call(value, rule, node_at(grammar, behind_member(spot, member, serves)));
    }
}

}  // namespace tbt
