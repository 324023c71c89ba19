// A grammar that would take too much memory is refused while it is built.
#include "tests/catch.hpp"

#include "lib/grammar/schema/grammar_size.hpp"

using namespace tbt;

TEST_CASE("a grammar gets no more nodes than its limit until it is finished", "[ch16]") {
    Grammar grammar;
    grammar.limit_nodes(3);
    const int root = grammar.add_rule("root");
    for (int i = 0; i < 3; ++i) grammar.add_node();
    CHECK_THROWS_WITH(grammar.add_node(),
                      "the grammar takes more than 3 nodes; ask for fewer or smaller "
                      "repetitions, members or alternatives");
    CHECK(grammar.nodes() == 3);
    grammar.rule(root).start = 0;
    grammar.node(0).final = true;
    grammar.finish(root);
    CHECK(grammar.add_node() == 3);  // what a text asks for on its way
}

TEST_CASE("edges count in the size of a grammar as well as nodes", "[ch16]") {
    const auto refused = [](int edges) {
        Grammar grammar;
        GrammarSize size;
        for (int i = 0; i < 100; ++i) size.check(grammar), grammar.add_node();
        grammar.node(99).bytes.assign(static_cast<std::size_t>(edges), {'a', 'b', 0});
        try {
            size.check(grammar);
        } catch (const TooLarge& e) {
            CHECK(std::string(e.what()) ==
                  "the grammar takes more than 84 MB; ask for fewer members or alternatives");
            return true;
        }
        size.check(grammar);  // what was measured is not measured again
        return false;
    };
    // 100 · 64 + 2,333,155 · 36 ≤ 84,000,000
    static_assert(sizeof(Grammar::Node) == 64 && sizeof(Grammar::ByteEdge) == 12);
    CHECK_FALSE(refused(2'333'155));
    CHECK(refused(2'333'156));
}
