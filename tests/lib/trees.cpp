// A tree of guesses in one pass (chapter 21): each branch gets the bits of a text read in order.
#include "tests/catch.hpp"

#include <algorithm>
#include <vector>

#include "lib/core/error.hpp"
#include "tests/lib/logits.hpp"
#include "tests/support/tiny_gpt.hpp"

using namespace tbt;
using test::copied;

namespace {

// After a text: 7, then 3 or 9; after 3 another 9 or 4, after 9 a 3, after 9 3 a 20. In no
// tidy order: a branch goes on after another has begun.
const std::vector<int> tokens = {7, 3, 9, 9, 3, 4, 20}, parents = {-1, 0, 0, 1, 2, 1, 4};

std::vector<int> branch_of(int row) {
    std::vector<int> rows;
    for (int a = row; a >= 0; a = parents[index(a)]) rows.push_back(a);
    std::reverse(rows.begin(), rows.end());
    return rows;
}

std::vector<int> text_of(std::vector<int> text, int row) {
    for (const int a : branch_of(row)) text.push_back(tokens[index(a)]);
    return text;
}

std::vector<int> long_text(int n) {
    std::vector<int> text;
    for (int i = 0; i < n; ++i) text.push_back((i * i + 3) % 50);
    return text;
}

TransformerConfig long_config() {
    TransformerConfig config = tiny_config();
    config.n_positions = 140;
    return config;
}

Transformer model_of(int threads, WeightType type = WeightType::f32,
                     WeightType cache = WeightType::f32) {
    return Transformer(long_config(),
                       [](const std::string& name, const Shape& shape) {
                           Rng rng(name.size(), static_cast<std::uint64_t>(name[name.size() / 2]));
                           Tensor t(shape);
                           for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.4);
                           return t;
                       },
                       {threads, type, cache});
}

}  // namespace

TEST_CASE("each row of a tree has the logits of its branch read in order, bit for bit",
          "[gpt][tree]") {
    for (const auto& [type, cached] : {std::pair{WeightType::f32, WeightType::f32},
                                       {WeightType::f16, WeightType::f32},
                                       {WeightType::int8, WeightType::f32},
                                       {WeightType::f32, WeightType::f16}})
        for (const int threads : {1, 3})
            // 61: the branches cross from one block of the cache into the next.
            for (const int length : {0, 1, 20, 61, 130}) {
                Transformer gpt = model_of(threads, type, cached);
                const std::vector<int> text = long_text(length);
                KvCache cache(gpt.config());
                if (length > 0) gpt.forward(cache, text);
                const Step step{&cache, tokens, true, parents};
                const Logits rows = gpt.forward({&step, 1});
                REQUIRE(rows.rows == 7);
                std::vector<std::vector<float>> got;
                for (int r = 0; r < 7; ++r) got.push_back(copied(rows.row(r)));
                CHECK(cache.length() == length);
                for (int r = 0; r < 7; ++r) {
                    KvCache fresh(gpt.config());
                    CHECK(got[index(r)] == copied(gpt.forward(fresh, text_of(text, r))));
                }
            }
}

TEST_CASE("the cache keeps the branch it is told, and the text goes on with the same bits",
          "[gpt][tree]") {
    const std::vector<int> text = long_text(61);
    for (int i = 0; i < 14; ++i) {
        const int r = i % 7;
        Transformer gpt = model_of(1, WeightType::f32, i < 7 ? WeightType::f32 : WeightType::f16);
        KvCache cache(gpt.config());
        gpt.forward(cache, text);
        const Step step{&cache, tokens, true, parents};
        gpt.forward({&step, 1});
        const std::vector<int> branch = branch_of(r);
        cache.commit(branch);
        CHECK(cache.length() == 61 + count(branch));
        const std::vector<int> more = {11, 12};
        const std::vector<float> got = copied(gpt.forward(cache, more));
        std::vector<int> whole = text_of(text, r);
        whole.insert(whole.end(), more.begin(), more.end());
        KvCache fresh(gpt.config());
        CHECK(got == copied(gpt.forward(fresh, whole)));
    }
}

TEST_CASE("a row of a tree looks at the text and its branch as a text read in order does",
          "[gpt][tree]") {
    Transformer gpt = model_of(1);
    const std::vector<int> text = long_text(20);
    AttentionWatch of_tree{1, 1}, of_text{1, 1};
    KvCache cache(gpt.config());
    gpt.forward(cache, text);
    gpt.watch(&of_tree);
    const Step step{&cache, tokens, true, parents};
    gpt.forward({&step, 1});
    REQUIRE(of_tree.rows.size() == 7);
    gpt.watch(&of_text);
    for (int r = 0; r < 7; ++r) {
        KvCache fresh(gpt.config());
        gpt.forward(fresh, text_of(text, r));
        CHECK(of_tree.rows[index(r)] == of_text.rows.back());
    }
}

TEST_CASE("a tree beside a text without one, in one pass", "[gpt][tree]") {
    Transformer gpt = model_of(2);
    const std::vector<int> a = long_text(10), b = long_text(33), plain = {5, 6};
    KvCache first(gpt.config()), second(gpt.config());
    gpt.forward(first, a), gpt.forward(second, b);
    const Step steps[] = {{&first, plain, true}, {&second, tokens, true, parents}};
    const Logits rows = gpt.forward(steps);
    REQUIRE(rows.rows == 9);
    CHECK(first.length() == 12);
    const std::vector<float> of_tree = copied(rows.row(8)), of_plain = copied(rows.row(1));
    KvCache fresh(gpt.config());
    CHECK(of_tree == copied(gpt.forward(fresh, text_of(b, 6))));
    std::vector<int> whole = a;
    whole.insert(whole.end(), plain.begin(), plain.end());
    fresh.clear();
    CHECK(of_plain == copied(gpt.forward(fresh, whole)));
}

TEST_CASE("more guesses than the text has tokens, all after it, with more threads", "[gpt][tree]") {
    // The memory that attention needs is counted from the first pass on: each model is a new one.
    for (const int threads : {1, 2, 8}) {
        Transformer gpt = model_of(threads), alone = model_of(1);
        const std::vector<int> text = long_text(5), guesses = long_text(200), above(200, -1);
        KvCache cache(gpt.config()), fresh(gpt.config());
        gpt.forward(cache, text);
        const Step step{&cache, guesses, true, above};
        const Logits rows = gpt.forward({&step, 1});
        alone.forward(fresh, text);
        for (int row = 0; row < 200; row += 7) {
            fresh.truncate(5);
            const std::vector<float> of_tree = copied(rows.row(row));
            REQUIRE(of_tree ==
                    copied(alone.forward(fresh, std::span(guesses).subspan(index(row), 1))));
        }
    }
}

TEST_CASE("a row's state is what the output matrix turns into its logits", "[gpt][tree]") {
    Transformer gpt = model_of(1);
    KvCache cache(gpt.config());
    const std::vector<int> text = long_text(5);
    const Logits logits = gpt.forward_all(cache, text);
    REQUIRE(logits.states.size() == 5 * 16);
    std::vector<float> table;
    Tensor wte({50, 16});
    Rng rng(std::string("wte.weight").size(), 'e');  // as model_of draws it
    for (float& v : wte.values()) v = static_cast<float>(rng.normal() * 0.4);
    for (int r = 0; r < 5; ++r) {
        for (int v = 0; v < 50; ++v) {
            double sum = 0;
            for (int c = 0; c < 16; ++c)
                sum += double(logits.states[index(r * 16 + c)]) * double(wte.row(v)[index(c)]);
            // Sixteen products of a few units each in float.
            CHECK(std::abs(sum - double(logits.row(r)[index(v)])) <= 1e-4);
        }
    }
}

TEST_CASE("trees that are none are refused", "[gpt][tree]") {
    Transformer gpt = model_of(1);
    KvCache cache(gpt.config());
    const auto run = [&](const std::vector<int>& ids, const std::vector<int>& above) {
        const Step step{&cache, ids, true, above};
        gpt.forward({&step, 1});
    };
    CHECK_THROWS_AS(run({1, 2}, {-1}), Error);
    CHECK_THROWS_AS(run({1, 2}, {-1, 1}), Error);
    CHECK_THROWS_AS(run({1, 2}, {-2, 0}), Error);
    std::vector<int> deep(65, 1), chain(65);
    for (int i = 0; i < 65; ++i) chain[index(i)] = i - 1;
    CHECK_THROWS_AS(run(deep, chain), Error);
    CHECK_THROWS_AS(cache.commit(std::vector<int>{0}), Error);  // nothing is staged
    run({1, 2}, {-1, 0});
    CHECK_THROWS_AS(cache.commit(std::vector<int>{2}), Error);
    cache.commit(std::vector<int>{0});
    CHECK_THROWS_AS(cache.commit(std::vector<int>{1}), Error);  // committed once, and then gone
    KvCache other(gpt.config());
    std::swap(cache, other);
    run({1, 2}, {-1, 0});
    cache.begin_with({}, 0);
    CHECK_THROWS_AS(cache.commit(std::vector<int>{0}), Error);  // those rows were another text's
    std::swap(cache, other);
    deep.pop_back(), chain.pop_back();
    CHECK_NOTHROW(run(deep, chain));  // 64 are not too deep
}
