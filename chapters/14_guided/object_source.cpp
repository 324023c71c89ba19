#include "chapters/14_guided/object_source.hpp"

#include <algorithm>

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

// How many characters: found level by level. Every level can be passed with an ASCII letter, which is one byte.
int shortest_text(const Dfa& dfa) {
    std::vector<int> reached{0};
    for (int length = 0;; ++length) {
        std::vector<int> next;
        for (const int s : reached) {
            if (dfa.states[static_cast<std::size_t>(s)].accepting) return length;
            for (const Dfa::Edge& e : dfa.states[static_cast<std::size_t>(s)].edges) next.push_back(e.to);
        }
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        reached.swap(next);
    }
}

}  // namespace

ObjectSource::ObjectSource(ObjectShape shape, int most_blanks, Spelling spelling)
    : shape_(std::move(shape)), most_blanks_(most_blanks), spelling_(spelling) {
    std::vector<std::string> names;
    for (const ObjectShape::Member& m : shape_.members) {
        names.push_back(m.name);
        int bytes = 0;
        for (const std::int32_t c : code_points_of(m.name, "key")) {
            std::size_t shortest = 12;
            for (const ByteSequence& s : spell(CodePointSet(c, c), spelling_))
                shortest = std::min(shortest, s.size());
            bytes += static_cast<int>(shortest);
        }
        key_bytes_.push_back(bytes);
    }
    if (shape_.other_rule < 0) return;
    other_keys_ = complement(Dfa::of(names));
    other_key_bytes_ = shortest_text(other_keys_);
}

int ObjectSource::first_node(Grammar& grammar, int index) {
    index_ = index;
    return node_at(grammar, Where::first, Seen(shape_.members.size()));
}

int ObjectSource::node_at(Grammar& grammar, Where where, const Seen& seen) {
    const auto [place, added] = nodes_.try_emplace({where, seen}, 0);
    if (added) {
        place->second = grammar.add_node();
        grammar.node(place->second).source = index_;
        spots_[place->second] = place->first;
    }
    return place->second;
}

int ObjectSource::member_cost(const Grammar& grammar, std::size_t member) const {
    return std::min(Grammar::never,
                    key_bytes_[member] + 3 + grammar.rule(shape_.members[member].rule).cost);  // "key":
}

int ObjectSource::cost(const Grammar& grammar, int node) const { return cost_of(grammar, spots_.at(node)); }

int ObjectSource::cost_of(const Grammar& grammar, const Spot& spot) const {
    const auto clipped = [](std::int64_t cost) {
        return static_cast<int>(std::min<std::int64_t>(cost, Grammar::never));
    };
    std::int64_t missing = 0;  // all required members that are not there yet, each with a comma
    for (std::size_t m = 0; m < shape_.members.size(); ++m) {
        if (shape_.members[m].required && !spot.seen[m]) missing += member_cost(grammar, m) + 1;
    }
    if (spot.where == Where::after) return clipped(missing + 1);
    if (missing > 0) return clipped(missing);  // one comma less, and the brace
    if (spot.where == Where::first) return 1;
    std::int64_t least = shape_.other_rule < 0
                             ? Grammar::never
                             : other_key_bytes_ + 3 + std::int64_t{grammar.rule(shape_.other_rule).cost};
    for (std::size_t m = 0; m < shape_.members.size(); ++m) {
        if (!spot.seen[m]) least = std::min<std::int64_t>(least, member_cost(grammar, m));
    }
    return clipped(least + 1);
}

std::vector<int> ObjectSource::rules() const {
    std::vector<int> rules;
    for (const ObjectShape::Member& m : shape_.members) rules.push_back(m.rule);
    if (shape_.other_rule >= 0) rules.push_back(shape_.other_rule);
    return rules;
}

void ObjectSource::expand(Grammar& grammar, int node) {
    const Spot spot = spots_.at(node);
    const int inner = grammar.add_node();
    grammar.skip(node, inner);
    const int at = add_blanks(grammar, inner, most_blanks_);
    bool complete = true;
    for (std::size_t m = 0; m < shape_.members.size(); ++m)
        complete = complete && (spot.seen[m] || !shape_.members[m].required);
    if (complete && spot.where != Where::key) {
        const int end = grammar.add_node();
        grammar.edge(at, '}', '}', end);
        grammar.node(end).final = true;
    }
    if (spot.where == Where::after) {
        grammar.edge(at, ',', ',', node_at(grammar, Where::key, spot.seen));
    } else {
        add_keys(grammar, at, spot.seen);
    }
}

void ObjectSource::add_keys(Grammar& grammar, int from, const Seen& seen) {
    const int key = grammar.bytes(from, "\"");
    for (std::size_t m = 0; m < shape_.members.size(); ++m) {
        if (seen[m] || member_cost(grammar, m) >= Grammar::never) continue;
        int at = key;
        for (const std::int32_t c : code_points_of(shape_.members[m].name, "key"))
            at = grammar.sequences(at, spell(CodePointSet(c, c), spelling_));
        Seen then = seen;
        then[m] = true;
        add_value(grammar, at, shape_.members[m].rule, then);
    }
    if (shape_.other_rule >= 0)
        add_value(grammar, add_dfa(grammar, other_keys_, key, spelling_), shape_.other_rule, seen);
}

void ObjectSource::add_value(Grammar& grammar, int behind_key, int rule, const Seen& seen) {
    const int colon = add_blanks(grammar, grammar.bytes(behind_key, "\""), most_blanks_);
    const int value = add_blanks(grammar, grammar.bytes(colon, ":"), most_blanks_);
    grammar.node(value).calls.push_back({rule, node_at(grammar, Where::after, seen)});
}

}  // namespace tbt
