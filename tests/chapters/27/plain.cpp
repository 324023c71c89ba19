// The library's pool and tree of prefixes against the plain ones, on random operations; and the
// plain ones against numbers by hand.
#include "tests/catch.hpp"

#include "chapters/27_prefix_cache/plain_prefix_tree.hpp"
#include "lib/core/error.hpp"
#include "lib/core/rng.hpp"
#include "lib/serve/prefix_cache.hpp"

using namespace tbt;

namespace {

using Ids = std::vector<int>;

TransformerConfig smallest() { return gpt_config(1, 1, 16, 64, 4); }

// Texts over two tokens begin alike often.
Ids random_ids(Rng& rng) {
    Ids ids(1 + rng.below(11));
    for (int& id : ids) id = to_int(rng.below(2));
    return ids;
}

// Which page of the one is which page of the other.
using Twins = std::map<PlainPage*, int>;

bool same(const Twins& twins, const std::vector<PlainPage*>& a, const Ids& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](PlainPage* page, int twin) { return twins.at(page) == twin; });
}

}  // namespace

TEST_CASE("a page has one writer: a fork copies the page that it goes on in") {
    PlainPages pages(4, 2);
    PlainTable a;
    for (const int token : {5, 6, 7}) REQUIRE(append(pages, a, token));
    PlainTable b = fork(a);
    REQUIRE(a.table[1]->owners == 2);
    REQUIRE(append(pages, b, 8));
    REQUIRE(a.table[0] == b.table[0]);
    REQUIRE(a.table[1] != b.table[1]);
    REQUIRE(a.table[1]->content == Ids{7});
    REQUIRE(b.table[1]->content == Ids{7, 8});
    REQUIRE(append(pages, b, 9));
    REQUIRE(append(pages, a, 10));  // nobody else owns this page any more
    REQUIRE(pages.used() == 4);
    REQUIRE_FALSE(append(pages, a, 11));
    REQUIRE(a.length == 4);
}

TEST_CASE("a tree of six pages, by hand") {
    PlainPages pages(8, 2);
    PlainPrefixTree tree(2);
    const auto read = [&](const Ids& ids) {
        PlainTable text;
        for (const int id : ids) REQUIRE(append(pages, text, id));
        tree.put(ids, text.table);
        return text.table;
    };
    const std::vector<PlainPage*> first = read({1, 2, 3, 4, 5}), second = read({1, 2, 3, 9});
    const auto known = [&](const Ids& ids) { return tree.find(ids).tokens; };
    REQUIRE(known({1, 2, 3, 4, 5, 6}) == 5);
    REQUIRE(known({1, 2, 3, 7}) == 3);  // half a page
    REQUIRE(known({1, 2}) == 2);
    REQUIRE(known({2, 1}) == 0);
    REQUIRE(tree.find({1, 2, 3, 9}).pages == std::vector{first[0], second[1]});
    REQUIRE(second[0]->owners == 1);  // the tree had a page with these tokens
    for (PlainPage* page : first) --page->owners;
    for (PlainPage* page : second) --page->owners;
    REQUIRE(pages.used() == 4);
    REQUIRE(tree.forget_one());  // 5, then 3 4: those have not been used for the longest time
    REQUIRE(tree.forget_one());
    REQUIRE(known({1, 2, 3, 4, 5, 6}) == 3);
    REQUIRE(known({1, 2, 3, 9}) == 4);
    REQUIRE(tree.forget_one());
    REQUIRE(tree.forget_one());
    REQUIRE_FALSE(tree.forget_one());
    REQUIRE(pages.used() == 0);
}

TEST_CASE("a tree needs a pool, and pages of at least one token") {
    const auto pool = std::make_shared<KvPool>(smallest());
    CHECK_THROWS_AS(PrefixTree(nullptr, 1), Error);
    for (const int tokens : {0, -1}) CHECK_THROWS_AS(PrefixTree(pool, tokens), Error);
    CHECK_NOTHROW(PrefixTree(pool, 1));
}

TEST_CASE("the library's tree does what the plain one does, in thousands of random operations") {
    long found = 0, forgotten = 0, in_part = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Rng rng(seed);
        const std::size_t size = 1 + rng.below(4);
        PlainPages plain_pages(2000, size);
        PlainPrefixTree plain(size);
        const auto pool = std::make_shared<KvPool>(smallest());
        PrefixTree fast(pool, static_cast<int>(size));
        struct Text {
            std::vector<PlainPage*> plain;
            Ids fast;
        };
        std::vector<Text> running;
        Twins twins;
        for (int step = 0; step < 150; ++step) {
            const Ids ids = random_ids(rng);
            INFO("seed " << seed << ", step " << step);
            switch (rng.below(4)) {
                case 0: {
                    const PlainPrefix a = plain.find(ids);
                    const KnownPrefix b = fast.find(ids);
                    REQUIRE(a.tokens == index(b.tokens));
                    REQUIRE(same(twins, a.pages, b.pages));
                    for (PlainPage* page : a.pages) ++page->owners;
                    for (const int page : b.pages) pool->share(page);
                    running.push_back({a.pages, b.pages});
                    found += b.tokens, in_part += a.tokens % size != 0;
                    break;
                }
                case 1: {
                    Text text;
                    for (std::size_t p = 0; p * size < ids.size(); ++p) {
                        text.plain.push_back(plain_pages.take());
                        text.fast.push_back(pool->take());
                        twins[text.plain.back()] = text.fast.back();
                    }
                    plain.put(ids, text.plain);
                    fast.put(ids, text.fast);
                    running.push_back(text);
                    break;
                }
                case 2:
                    if (running.empty()) break;
                    std::swap(running[rng.below(running.size())], running.back());
                    for (PlainPage* page : running.back().plain) --page->owners;
                    for (const int page : running.back().fast) pool->release(page);
                    running.pop_back();
                    break;
                default:
                    if (rng.below(2) == 0) break;
                    const bool any = plain.forget_one();
                    REQUIRE(fast.forget_one() == any);
                    forgotten += any;
            }
            REQUIRE(index(pool->used()) == plain_pages.used());
        }
        while (!running.empty()) {
            for (const int page : running.back().fast) pool->release(page);
            running.pop_back();
        }
        REQUIRE(fast.pages() == pool->used());
        REQUIRE(fast.idle() == pool->used());
        fast.forget_all();
        REQUIRE(pool->used() == 0);
    }
    REQUIRE(found > 1000);
    REQUIRE(forgotten > 500);
    REQUIRE(in_part > 100);
}
