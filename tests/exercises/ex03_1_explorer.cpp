// Exercise 03_1: a temperature explorer.
#include "03_1_explorer.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex03_1;

namespace {

// A different distribution after every text.
struct Toy {
    std::vector<float> row;
    std::span<const float> operator()(std::span<const int> ids) {
        Rng rng(static_cast<std::uint64_t>(ids.size() * 31 + static_cast<std::size_t>(ids.back())));
        return row = normal_row<float>(rng, 9, 2);
    }
};

}  // namespace

TEST_CASE("the table of eight logits", "[ex03_1]") {
    THINK("softmax of s/T; −Σ p ln p; the greatest p; Σp²; Σp³");
    const std::vector<float> logits{5, 3, 2, 1, .5f, -1, -2, -5};
    const double table[][5] = {{.2, .000504, .999954, .999909, .999863},
                               {.5, .111137, .979182, .959126, .938844},
                               {.8, .426431, .895526, .807861, .718588},
                               {1, .661073, .821030, .688421, .554892},
                               {1.5, 1.136041, .646331, .457651, .275741}};
    for (const auto& [T, entropy, top, agree_2, agree_3] : table) {
        const Numbers n = numbers_at(logits, T);
        INPUT(logits, T);
        CHECK_NEAR(n.entropy, entropy, 1e-6);  // the table has six decimals
        CHECK_NEAR(n.top, top, 1e-6);
        CHECK_NEAR(n.agree_2, agree_2, 1e-6);
        CHECK_NEAR(n.agree_3, agree_3, 1e-6);
    }
}

TEST_CASE("a token that cannot come adds nothing to the entropy", "[ex03_1]") {
    THINK("0 · ln 0 counts as 0");
    const std::vector<float> logits{0, 0, -INFINITY};
    const double T = 1;
    INPUT(logits, T);
    const Numbers n = numbers_at(logits, T);
    CHECK_NEAR(n.entropy, std::log(2.0), 1e-12);
}

TEST_CASE("so many texts of so many tokens, without the prompt", "[ex03_1]") {
    THINK("texts[temperature][number] has exactly so many new tokens");
    Toy toy;
    const auto texts = explore(std::ref(toy), {4, 4, 4}, {0.5, 1, 2}, 4, 6, 1);
    INFO("explore(toy, {4, 4, 4}, {0.5, 1, 2}, 4, 6, 1)");
    REQUIRE(texts.size() == 3);
    for (const auto& row : texts) {
        REQUIRE(row.size() == 4);
        for (const auto& text : row) REQUIRE(text.size() == 6);
    }
    CHECK(texts[1][0] != texts[1][1]);
}

TEST_CASE("the same seed gives the same texts, another seed others", "[ex03_1]") {
    THINK("everything random comes from the seed that was given");
    Toy toy;
    CHECK(explore(std::ref(toy), {1}, {0.8, 1.5}, 3, 8, 7) ==
          explore(std::ref(toy), {1}, {0.8, 1.5}, 3, 8, 7));
    CHECK(explore(std::ref(toy), {1}, {0.8, 1.5}, 3, 8, 7) !=
          explore(std::ref(toy), {1}, {0.8, 1.5}, 3, 8, 8));
}

TEST_CASE("every temperature meets the same random numbers, whatever else is in the table",
          "[ex03_1]") {
    Toy toy;
    const Texts alone = explore(std::ref(toy), {1}, {1.5}, 2, 8, 7);
    const Texts table = explore(std::ref(toy), {1}, {0.3, 1.5}, 3, 8, 7);
    INFO("think about: where does the generator start?");
    INFO("texts at T = 1.5, seed 7: with {1.5} alone, and with {0.3, 1.5}");
    CHECK(alone[0][0] == table[1][0]);
    CHECK(alone[0][1] == table[1][1]);
}

TEST_CASE("temperature 0 is greedy, and almost 0 too", "[ex03_1]") {
    THINK("no draw: the most probable token; and s/1e-6 must not overflow");
    Toy toy;
    const auto texts = explore(std::ref(toy), {2}, {0, 1e-6}, 2, 10, 3);
    std::vector<int> ids{2};
    for (int i = 0; i < 10; ++i) {
        const auto row = toy(ids);
        ids.push_back(static_cast<int>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    const std::vector<int> greedy(ids.begin() + 1, ids.end());
    for (std::size_t t = 0; t < texts.size(); ++t) {
        const double T = t == 0 ? 0 : 1e-6;
        INPUT(T);
        for (const auto& text : texts[t]) CHECK(text == greedy);
    }
}

TEST_CASE("sample i draws from Rng(seed, i), token by token", "[ex03_1]") {
    Toy toy;
    const std::vector<double> temperatures{0, .3, 1, 4};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Texts texts = explore(std::ref(toy), {3, 1}, temperatures, 3, 5, seed);
        for (std::size_t t = 0; t < temperatures.size(); ++t) {
            for (std::size_t i = 0; i < 3; ++i) {
                Rng rng(seed, i);
                std::vector<int> ids{3, 1};
                for (int n = 0; n < 5; ++n)
                    ids.push_back(draw(toy(ids), temperatures[t], rng.uniform()));
                INFO("seed " << seed << ", temperature " << temperatures[t] << ", sample " << i);
                THINK("Rng(seed, i), made anew for each sample, and one uniform() a token");
                CHECK(texts[t][i] == std::vector<int>(ids.begin() + 2, ids.end()));
            }
        }
    }
}

TEST_CASE("temperature 0 is greedy where the best are close together", "[ex03_1]") {
    const std::vector<float> close{1, 1.01f, 1, 1.01f};
    const NextLogits model = [&](std::span<const int>) { return std::span<const float>(close); };
    INFO("think about: 0 itself, not a number near it; of equal ones the lower id");
    CHECK(explore(model, {0}, {0}, 3, 8, 5) == Texts(1, {3, std::vector<int>(8, 1)}));
}

TEST_CASE("nothing asked for, nothing given", "[ex03_1]") {
    Toy toy;
    CHECK(explore(std::ref(toy), {1}, {}, 3, 4, 1).empty());
    CHECK(explore(std::ref(toy), {1}, {1}, 0, 4, 1) == Texts(1));
    CHECK(explore(std::ref(toy), {1}, {1}, 2, 0, 1) == Texts(1, {{}, {}}));
}

TEST_CASE("any row: the four numbers are those of the formulas", "[ex03_1]") {
    Rng rng(31);
    for (int round = 0; round < 2000; ++round) {
        const std::vector<float> s = some_row(rng, round);
        const double T = std::exp(rng.normal());
        const std::vector<double> p = softmax_at(s, T);
        double entropy = 0, top = 0, two = 0, three = 0;
        for (const double x : p) {
            entropy -= x > 0 ? x * std::log(x) : 0;
            top = std::max(top, x), two += x * x, three += x * x * x;
        }
        const Numbers n = numbers_at(s, T);
        same(std::vector<double>{n.entropy, n.top, n.agree_2, n.agree_3},
             std::vector<double>{entropy, top, two, three},
             "logits " + in_words(s) + ", T = " + in_words(T), "entropy, top, agree_2, agree_3",
             1e-12);
    }
}
