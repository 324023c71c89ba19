#include "lib/grammar/automata/spelling.hpp"

#include <algorithm>
#include <map>

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

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
            if (new_set) bytes->second = spell(e.on, spelling);
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
