#include "lib/grammar/schema/blanks.hpp"

namespace tbt {

int add_blanks(Grammar& grammar, int from, int most) {
    const auto blank = [&](int before, int after) {
        grammar.edge(before, ' ', ' ', after);
        grammar.edge(before, '\t', '\n', after);
        grammar.edge(before, '\r', '\r', after);
    };
    const int out = grammar.add_node();
    if (most < 0) {
        const int loop = grammar.add_node();
        grammar.skip(from, loop);
        blank(loop, loop);
        grammar.skip(loop, out);
        return out;
    }
    grammar.skip(from, out);
    for (int i = 1; i < most; ++i) {
        const int next = grammar.add_node();
        blank(from, next);
        grammar.skip(from = next, out);
    }
    if (most > 0) blank(from, out);
    return out;
}

}  // namespace tbt
