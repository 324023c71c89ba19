// Exercise 27_2: the answers, checked by the chapter's pages and tree.
#include "27_2_predict.hpp"
#include "chapters/27_prefix_cache/plain_prefix_tree.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;

namespace {

struct World {
    PlainPages pages{200, 64};
    PlainPrefixTree tree{64};
    std::size_t system;
    bool remembers = true;

    explicit World(std::size_t tokens) : system(tokens) {}
    Tokens prompt(int question) const {
        Tokens ids;
        while (ids.size() < system) ids.push_back(static_cast<int>(ids.size()));
        for (int i = 0; i < 12; ++i) ids.push_back(1000 * question + i);
        return ids;
    }
    // Reads a question and writes its answer. The tokens read before the first token.
    std::size_t ask(int question) {
        Tokens ids = prompt(question);
        // The last token is read in any case: its logits are in no cache.
        const Tokens before(ids.begin(), ids.end() - 1);
        const PlainPrefix prefix = remembers ? tree.find(before) : PlainPrefix{};
        PlainTable text = fork({prefix.pages, prefix.tokens});
        for (int i = 0; i < 23; ++i) ids.push_back(1000 * question + 500 + i);
        for (std::size_t i = prefix.tokens; i < ids.size(); ++i) append(pages, text, ids[i]);
        if (remembers) {
            tree.put(ids, text.table);
            for (PlainPage* page : text.table) --page->owners;
        }
        return system + 12 - prefix.tokens;
    }
    void ask_all() {
        for (int question = 1; question <= 20; ++question) ask(question);
    }
};

}  // namespace

TEST_CASE("pages of texts by themselves", "[ex27_2]") {
    World world(400);
    world.remembers = false;
    world.ask_all();
    check_predicted(ex27_2::pages_alone(), world.pages.used(), "435 tokens fill how many pages?");
}

TEST_CASE("pages in the tree", "[ex27_2]") {
    World world(400);
    world.ask_all();
    check_predicted(ex27_2::pages_together(), world.pages.used(), "which pages are all the same?");
}

TEST_CASE("tokens that a second question reads", "[ex27_2]") {
    World world(400);
    world.ask(1);
    const PlainPrefix prefix = world.tree.find(world.prompt(2));
    check_predicted(ex27_2::read_with_copies(), world.ask(2), "where do the two questions part?");
    check_predicted(ex27_2::read_by_whole_pages(), 412 - prefix.tokens / 64 * 64,
                    "how many of the known tokens are on whole pages?");
}

TEST_CASE("a system prompt of whole pages", "[ex27_2]") {
    World world(384);
    world.ask_all();
    check_predicted(ex27_2::pages_of_a_round_prompt(), world.pages.used(),
                    "the texts are 419 tokens long");
}

TEST_CASE("a question once more", "[ex27_2]") {
    World world(400);
    world.ask_all();
    check_predicted(ex27_2::read_once_more(), world.ask(1),
                    "what is needed for a first token, and is not in the cache?");
}
