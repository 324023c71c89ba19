#include "chapters/16_json_schema/object_shape.hpp"

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

int spelled_bytes(std::int32_t low, std::int32_t high, Spelling spelling) {
    std::size_t shortest = 12;
    for (const ByteSequence& s : spell(CodePointSet(low, high), spelling))
        shortest = std::min(shortest, s.size());
    return static_cast<int>(shortest);
}

namespace {

int shortest_character(const CodePointSet& set, Spelling spelling) {
    if (!(set & CodePointSet('0', '9')).empty() || !(set & CodePointSet('a', 'z')).empty())
        return 1;
    int shortest = 12;
    for (const CodePointSet::Range& r : set.ranges())
        shortest = std::min(shortest, spelled_bytes(r.low, r.high, spelling));
    return shortest;
}

}  // namespace

// Shortest paths, where an edge is as long as its
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

}  // namespace tbt
