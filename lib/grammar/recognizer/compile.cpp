#include "lib/grammar/recognizer/compile.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

namespace {

using Kind = Expression::Kind;

// Estimates how many nodes an expression needs, at most `most`.
constexpr int most = 1 << 20;
int size_of(const Expression& e, const std::vector<int>& rule_sizes) {
    switch (e.kind) {
        case Kind::characters:
            return 1 + to_int(std::min<std::size_t>(e.set.ranges().size(), 1000));
        case Kind::text:
            return 1 + to_int(std::min<std::size_t>(e.text.size(), most));
        case Kind::rule:
            return rule_sizes.empty() ? 1 : rule_sizes[static_cast<std::size_t>(e.rule)];
        case Kind::repeat: {
            const std::int64_t times =
                e.high == Expression::unlimited ? std::int64_t{e.low} + 1 : e.high;
            return to_int(
                std::min<std::int64_t>(most, 1 + times * size_of(e.parts[0], rule_sizes)));
        }
        default: {
            int sum = 1;
            for (const Expression& part : e.parts)
                sum = std::min(most, sum + size_of(part, rule_sizes));
            return sum;
        }
    }
}

// Should a repeated body become a rule that is called instead of copied?
bool worth_a_rule(const Expression& body, int times) {
    const int size = size_of(body, {});
    return size > 4 && times > 4 && static_cast<std::int64_t>(size) * times > 200;
}

void check_repeat(const Expression& e) {
    const bool endless = e.high == Expression::unlimited;
    if (e.parts.size() != 1 || e.low < 0 || (!endless && e.high < e.low) ||
        std::max(e.low, e.high) > most)
        throw UsageError("grammar: a repetition from " + std::to_string(e.low) + " to " +
                         std::to_string(e.high) + " times of " + std::to_string(e.parts.size()) +
                         " parts, expected one part and at most " + std::to_string(most) +
                         " times");
}

int add_repeat(Grammar& grammar, const Expression& e, int from) {
    check_repeat(e);
    const Expression& body = e.parts[0];
    const bool endless = e.high == Expression::unlimited;
    std::optional<int> rule;
    if (worth_a_rule(body, endless ? e.low : e.high)) {
        rule = grammar.add_rule("a repetition");
        const int start = grammar.add_node(), end = add_expression(grammar, body, start);
        grammar.node(end).final = true;
        grammar.rule(*rule).start = start;
    }
    const auto once = [&](int at) {
        return rule ? grammar.call(at, *rule) : add_expression(grammar, body, at);
    };
    // Without an upper limit, the last required copy is also the loop. A separate loop would need
    // one more copy of the body, which doubles at each level of nested repetitions.
    const int must = endless && e.low > 0 ? e.low - 1 : e.low;
    for (int i = 0; i < must; ++i) from = once(from);
    const int out = grammar.add_node();
    if (endless) {
        const int loop = grammar.add_node();
        grammar.skip(from, loop);
        const int again = once(loop);
        grammar.skip(again, loop);
        grammar.skip(e.low > 0 ? again : loop, out);
        return out;
    }
    // Each further copy is optional: an edge leads out before it.
    for (int i = e.low; i < e.high; ++i) {
        grammar.skip(from, out);
        from = once(from);
    }
    grammar.skip(from, out);
    return out;
}

}  // namespace

int add_expression(Grammar& grammar, const Expression& e, int from) {
    grammar.node(from);  // throws if there is no such node
    switch (e.kind) {
        case Kind::characters:
            return grammar.sequences(from, utf8_sequences(e.set), grammar.add_node());
        case Kind::text:
            return grammar.bytes(from, e.text);
        case Kind::rule:
            grammar.rule(e.rule);  // throws if there is no such rule
            return grammar.call(from, e.rule);
        case Kind::repeat:
            return add_repeat(grammar, e, from);
        case Kind::sequence:
            for (const Expression& part : e.parts) from = add_expression(grammar, part, from);
            return from;
        case Kind::choice: {
            const int out = grammar.add_node();
            for (const Expression& part : e.parts) {
                // Each alternative starts at a new node, so that its loops stay within it.
                const int in = grammar.add_node();
                grammar.skip(from, in);
                grammar.skip(add_expression(grammar, part, in), out);
            }
            return out;
        }
        default:
            throw Error("grammar: an anchor outside a regular expression");
    }
}

namespace {

// Checks that the rules exist and that repetition counts are possible.
void check_expression(const Expression& e, int rules) {
    if (e.kind == Kind::rule) checked_place("grammar: rule", e.rule, index(rules));
    if (e.kind == Kind::repeat) check_repeat(e);
    for (const Expression& part : e.parts) check_expression(part, rules);
}

void check_rules(const NamedRules& rules) {
    check_size("grammar: bodies of rules", rules.bodies.size(), rules.names.size());
    for (const Expression& body : rules.bodies) check_expression(body, count(rules.names));
}

// Replaces references to small rules by the bodies of these rules.
class Inliner {
public:
    explicit Inliner(NamedRules& rules)
        : rules_(rules), state_(rules.names.size()), sizes_(rules.names.size(), most) {}

    void run() {
        for (std::size_t r = 0; r < rules_.bodies.size(); ++r) visit(to_int(r), 0);
    }

private:
    static constexpr int largest = 60, deepest = 1000;

    // Rewrites the body of this rule. Afterwards its size is known, unless it is recursive.
    void visit(int rule, int depth) {
        const auto r = static_cast<std::size_t>(rule);
        if (state_[r] != State::unseen || depth > deepest) return;
        state_[r] = State::open;
        rewrite(rules_.bodies[r], depth);
        sizes_[r] = size_of(rules_.bodies[r], sizes_);
        state_[r] = State::done;
    }

    void rewrite(Expression& e, int depth) {
        for (Expression& part : e.parts) rewrite(part, depth);
        if (e.kind != Kind::rule) return;
        visit(e.rule, depth + 1);
        const auto r = static_cast<std::size_t>(e.rule);
        if (state_[r] == State::done && sizes_[r] <= largest && !calls(rules_.bodies[r])) {
            Expression copy = rules_.bodies[r];
            e = std::move(copy);
        }
    }

    static bool calls(const Expression& e) {
        return e.kind == Kind::rule ||
               std::any_of(e.parts.begin(), e.parts.end(),
                           [](const Expression& part) { return calls(part); });
    }

    enum class State { unseen, open, done };
    NamedRules& rules_;
    std::vector<State> state_;
    std::vector<int> sizes_;
};

}  // namespace

Grammar compile_rules(const NamedRules& written) {
    check_rules(written);
    NamedRules rules = written;
    Inliner(rules).run();
    return grammar_as_written(rules);
}

Grammar grammar_as_written(const NamedRules& rules) {
    check_rules(rules);
    Grammar grammar;
    for (const std::string& name : rules.names) grammar.add_rule(name);
    for (std::size_t r = 0; r < rules.bodies.size(); ++r) {
        const int start = grammar.add_node(), end = add_expression(grammar, rules.bodies[r], start);
        grammar.node(end).final = true;
        grammar.rule(to_int(r)).start = start;
    }
    grammar.finish(0);
    return grammar;
}

namespace {

ByteChoice one(char c) { return {{static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c)}}; }

// The characters of a range of hexadecimal digits.
ByteChoice hex_digits(ByteRange r) {
    ByteChoice choice;
    if (r.low < 10)
        choice.push_back({static_cast<std::uint8_t>('0' + r.low),
                          static_cast<std::uint8_t>('0' + std::min<int>(r.high, 9))});
    if (r.high >= 10)
        choice.push_back({static_cast<std::uint8_t>('a' + std::max<int>(r.low, 10) - 10),
                          static_cast<std::uint8_t>('a' + r.high - 10)});
    return choice;
}

}  // namespace

std::vector<ByteSequence> spell(const CodePointSet& set, Spelling spelling) {
    if (spelling == Spelling::utf8) return utf8_sequences(set);
    static const CodePointSet must_escape = [] {
        CodePointSet s(0, 0x1f);
        s.add('"', '"');
        s.add('\\', '\\');
        return s;
    }();
    std::vector<ByteSequence> all = utf8_sequences(set - must_escape);
    const std::string shorts = "\"\\bfnrt", meant = "\"\\\b\f\n\r\t";
    for (std::size_t i = 0; i < shorts.size(); ++i) {
        if (set.contains(meant[i])) all.push_back({one('\\'), one(shorts[i])});
    }
    const CodePointSet others = (set & CodePointSet(0, 0x1f)) - CodePointSet::of("\b\f\n\r\t");
    for (const DigitRanges& digits : digit_sequences(others.ranges(), {4, 4, 4, 4})) {
        ByteSequence s{one('\\'), one('u')};
        for (const ByteRange& d : digits) s.push_back(hex_digits(d));
        all.push_back(std::move(s));
    }
    return all;
}

std::string shortest_spelling(std::int32_t c, Spelling spelling) {
    std::string text;
    if (spelling == Spelling::utf8 || (c >= 0x20 && c != '"' && c != '\\')) {
        append_utf8(text, c);
        return text;
    }
    constexpr std::string_view meant = "\"\\\b\f\n\r\t", shorts = "\"\\bfnrt";
    if (const std::size_t i = meant.find(static_cast<char>(c)); i != std::string_view::npos)
        return {'\\', shorts[i]};
    return {'\\', 'u', '0', '0', c < 0x10 ? '0' : '1', "0123456789abcdef"[c & 15]};
}

int add_dfa(Grammar& grammar, const Dfa& dfa, int from, Spelling spelling) {
    const int out = grammar.add_node();
    std::vector<int> nodes;
    for (std::size_t s = 0; s < dfa.states.size(); ++s) nodes.push_back(grammar.add_node());
    std::map<CodePointSet, std::vector<ByteSequence>> spelled;
    // Edges with the same set and the same target share the nodes in between.
    std::map<std::pair<int, CodePointSet>, std::vector<Grammar::ByteEdge>> ways;
    for (std::size_t s = 0; s < dfa.states.size(); ++s) {
        if (dfa.states[s].accepting) grammar.skip(nodes[s], out);
        for (const Dfa::Edge& e : dfa.states[s].edges) {
            const auto [way, new_way] = ways.try_emplace({e.to, e.on});
            for (const Grammar::ByteEdge& b : way->second)
                grammar.edge(nodes[s], b.low, b.high, b.to);
            if (!new_way) continue;
            const auto [bytes, new_set] = spelled.try_emplace(e.on);
            if (new_set) {
                bytes->second = spell(e.on, spelling);
                std::sort(bytes->second.begin(), bytes->second.end());
            }
            const auto before = std::ssize(grammar.node(nodes[s]).bytes);
            grammar.sequences(nodes[s], bytes->second, nodes[index(e.to)]);
            const std::vector<Grammar::ByteEdge>& edges = grammar.node(nodes[s]).bytes;
            way->second.assign(edges.begin() + before, edges.end());
        }
    }
    if (!nodes.empty()) grammar.skip(from, nodes[0]);
    return out;
}

Grammar grammar_of(const Dfa& dfa) {
    Grammar grammar;
    const int root = grammar.add_rule("root"), start = grammar.add_node();
    grammar.node(add_dfa(grammar, dfa, start, Spelling::utf8)).final = true;
    grammar.rule(root).start = start;
    grammar.finish(root);
    return grammar;
}

}  // namespace tbt
