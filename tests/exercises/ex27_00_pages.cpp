// Exercise 27_00: pages of texts that begin alike.
#include "27_00_pages.hpp"
#include "chapters/27_prefix_cache/plain_prefix_tree.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex27_00;

namespace {

// As the plain pages and the plain tree have them.
int really(int shared, const std::vector<int>& own, int page) {
    const auto size = static_cast<std::size_t>(page);
    PlainPages all(1000, size);
    PlainPrefixTree tree(size);
    int next = shared;
    for (const int tokens : own) {
        Tokens ids;
        for (int i = 0; i < shared; ++i) ids.push_back(i);
        for (int i = 0; i < tokens; ++i) ids.push_back(next++);
        const PlainPrefix prefix = tree.find(ids);
        PlainTable text = fork({prefix.pages, prefix.tokens});
        for (std::size_t i = prefix.tokens; i < ids.size(); ++i) append(all, text, ids[i]);
        tree.put(ids, text.table);
    }
    return static_cast<int>(all.used());
}

}  // namespace

TEST_CASE("two texts after ten shared tokens", "[ex27_00]") {
    THINK("the page where two texts part belongs to each of them");
    const std::vector<int> two = {3, 7};
    INPUT(two);
    CHECK(pages(10, two, 4) == 7);
}

TEST_CASE("no text, one text, nothing shared, whole pages shared", "[ex27_00]") {
    THINK("a page that is full of shared tokens counts once");
    const std::vector<int> none, one = {5}, ones = {1, 1, 1};
    CHECK(pages(10, none, 4) == 0);
    CHECK(pages(3, one, 4) == 2);
    CHECK(pages(0, ones, 4) == 3);
    CHECK(pages(8, ones, 4) == 5);
    CHECK(pages(7, ones, 4) == 4);
}

TEST_CASE("random texts, as the pages are really taken", "[ex27_00]") {
    THINK("how many pages does each text fill, and how many of them are shared?");
    Rng rng(1);
    for (int round = 0; round < 200; ++round) {
        const int shared = static_cast<int>(rng.below(20)),
                  page = 1 + static_cast<int>(rng.below(6));
        std::vector<int> own;
        for (std::uint64_t n = 1 + rng.below(5); n > 0; --n)
            own.push_back(1 + static_cast<int>(rng.below(9)));
        INPUT(shared, own, page);
        CHECK(pages(shared, own, page) == really(shared, own, page));
    }
}
