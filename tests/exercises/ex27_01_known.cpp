// Exercise 27_01: how much of a text is known.
#include "27_01_known.hpp"
#include "chapters/27_prefix_cache/plain_prefix_tree.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex27_01;

namespace {

const std::vector<Node> small = {
    {{}, {1, 2}}, {{'a', 'b'}, {3}}, {{'a', 'c'}, {}}, {{'c', 'd'}, {}}};

// A tree of random texts of full pages, twice: as the exercise has it, and as the chapter has it.
struct Both {
    std::vector<Node> nodes = {{}};
    PlainPages pages;
    PlainPrefixTree tree;
    explicit Both(std::size_t page) : pages(500, page), tree(page) {}

    void add(const Tokens& ids) {
        PlainTable text;
        std::size_t at = 0;
        for (std::size_t i = 0; i < ids.size(); i += pages.page_tokens) {
            const Tokens chunk(ids.begin() + i, ids.begin() + i + pages.page_tokens);
            for (const int id : chunk) append(pages, text, id);
            std::size_t next = 0;
            for (const std::size_t child : nodes[at].children)
                if (nodes[child].tokens == chunk) next = child;
            if (next == 0) {
                next = nodes.size();
                nodes[at].children.push_back(next);
                nodes.push_back({chunk, {}});
            }
            at = next;
        }
        tree.put(ids, text.table);
    }
};

}  // namespace

TEST_CASE("a tree of three pages", "[ex27_01]") {
    THINK("the child that agrees longest; a whole page leads on");
    const auto of = [](const std::string& text) {
        return known(small, 2, std::vector<int>(text.begin(), text.end()));
    };
    CHECK(of("abce") == 3u);
    CHECK(of("abcd") == 4u);
    CHECK(of("abcdab") == 4u);
    CHECK(of("ad") == 1u);
    CHECK(of("ac") == 2u);
    CHECK(of("accd") == 2u);
    CHECK(of("abc") == 3u);
    CHECK(of("b") == 0u);
    CHECK(of("") == 0u);
}

TEST_CASE("nothing is known in an empty tree", "[ex27_01]") {
    THINK("no child agrees");
    const std::vector<Node> root(1);
    CHECK(known(root, 3, {1, 2, 3, 4}) == 0u);
}

TEST_CASE("a page that is not full ends where its tokens end", "[ex27_01]") {
    THINK("a child may have fewer tokens than a page: how many of them can agree?");
    INFO("a tree with one page, which has room for 2 tokens and holds one: 'a'");
    std::vector<Node> nodes = {{{}, {1}}, {{'a', 'b'}, {}}};
    nodes[1].tokens.pop_back();  // "b" may still be in memory, but it is not in the page
    CHECK(known(nodes, 2, {'a', 'b'}) == 1u);
    CHECK(known(nodes, 2, {'a', 'c'}) == 1u);
    CHECK(known(nodes, 2, {'a'}) == 1u);
}

TEST_CASE("random trees, as the chapter's tree finds it", "[ex27_01]") {
    THINK("where does the text go on after a whole page?");
    Rng rng(5);
    for (int round = 0; round < 100; ++round) {
        const std::size_t page = 1 + rng.below(3);
        Both both(page);
        for (std::uint64_t n = rng.below(12); n > 0; --n)
            both.add(random_ids(rng, page * (1 + rng.below(4)), 2));
        for (int i = 0; i < 10; ++i) {
            const Tokens text = random_ids(rng, rng.below(14), 2);
            INPUT(page, text);
            CHECK(known(both.nodes, page, text) == both.tree.find(text).tokens);
        }
    }
}
