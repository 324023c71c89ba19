#include "lib/grammar/schema/blanks.hpp"

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

}  // namespace tbt
