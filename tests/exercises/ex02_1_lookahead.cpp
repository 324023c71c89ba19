// Exercise 02_1: greedy with one step of foresight.
#include "02_1_lookahead.hpp"
#include "chapters/02_greedy/greedy.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex02_1;

namespace {

// A model that knows the last token only. Each answer overwrites the one before, as a GPT's does.
struct Table {
    std::vector<std::vector<double>> distributions;  // by the last id
    std::vector<float> row = {};
    std::vector<std::vector<int>> asked = {};

    std::span<const float> operator()(std::span<const int> ids) {
        asked.emplace_back(ids.begin(), ids.end());
        row.clear();
        for (const double p : distributions[static_cast<std::size_t>(ids.back())])
            row.push_back(static_cast<float>(std::log(p)));
        return row;
    }
};

int pick(Table& model, const std::vector<int>& ids, int width) {
    const auto& distributions = model.distributions;  // distributions[i] is the one after token i
    INPUT(ids, width, distributions);
    return pick_with_foresight(std::ref(model), ids, width);
}

}  // namespace

TEST_CASE("a less probable token that leads somewhere beats the most probable one", "[ex02_1]") {
    // After 2 come 0, 1, 2 with .5 .4 .1. After 0 all is open, after 1 nearly nothing is:
    // .5 · .4 < .4 · .9
    Table model{{{.3, .4, .3}, {.05, .9, .05}, {.5, .4, .1}}};
    INFO("the distributions after tokens 0, 1 and 2: {.3, .4, .3}, {.05, .9, .05}, {.5, .4, .1}");
    INFO("think about: width 1 sees only the first token, width 2 the first two");
    CHECK(pick(model, {2}, 1) == 0);
    CHECK(pick(model, {2}, 2) == 1);
    CHECK(pick(model, {2}, 3) == 1);
    CHECK(pick(model, {2}, 99) == 1);
}

TEST_CASE("a token that is certain, but improbable itself, does not win", "[ex02_1]") {
    Table model{{{.5, .5, 0}, {0, 0, 1}, {.8, .2, 0}}};
    INFO("the distributions after tokens 0, 1 and 2: {.5, .5, 0}, {0, 0, 1}, {.8, .2, 0}");
    INFO("think about: both probabilities count, .8 · .5 against .2 · 1");
    CHECK(pick(model, {2}, 2) == 0);
}

TEST_CASE("logits are no logarithms of probabilities: only their differences mean something",
          "[ex02_1]") {
    // After 0 the logits are large, and the distribution is flat; after 1 small,
    // and one token is sure.
    const std::vector<std::vector<float>> rows{{900, 900, 900}, {-700, -790, -790}, {.5f, .4f, -9}};
    const NextLogits model = [&](std::span<const int> ids) {
        return std::span<const float>(rows[static_cast<std::size_t>(ids.back())]);
    };
    INFO("think about: probabilities, .525 · 1/3 against .475 · 1");
    CHECK(pick_with_foresight(model, std::vector<int>{2}, 2) == 1);
    INFO("a width above V means V");
    CHECK(pick_with_foresight(model, std::vector<int>{2}, 1000) == 1);
    CHECK(pick_with_foresight(model, std::vector<int>{2}, 2000000000) == 1);
}

TEST_CASE("of equal pairs the first one stays", "[ex02_1]") {
    Table model{{{.5, .25, .25}, {.5, .25, .25}, {.4, .4, .2}}};
    INFO("think about: a later pair has to be better, not just as good");
    CHECK(pick(model, {2}, 3) == 0);
}

TEST_CASE("the model is asked once for the text and once for each of `width` continuations",
          "[ex02_1]") {
    THINK("the text of a question is ids, or ids and one first token");
    Table model{{{.3, .4, .3}, {.05, .9, .05}, {.5, .4, .1}}};
    pick(model, {1, 0, 2}, 2);
    for (const std::vector<int>& text : model.asked) {
        INFO("ids are 1 0 2; asked about:");
        INPUT(text);
        EXPECT(text.size() == 3 || text.size() == 4, "a text of 3 or 4 tokens", text.size());
        CHECK(text[0] == 1);
        CHECK(text[1] == 0);
        CHECK(text[2] == 2);
    }
    CHECK(model.asked.size() <= 3);
}

TEST_CASE("a dead end everywhere is still a choice", "[ex02_1]") {
    THINK("ln 0 is −∞, and −∞ is not greater than −∞: is the first token kept all the same?");
    Table model{{{0, 1}, {0, 1}}};
    CHECK(pick(model, {0}, 1) == 1);
    CHECK(pick(model, {0}, 2) == 1);
}

TEST_CASE("any model: the pair is the best of all pairs, and width 1 is greedy", "[ex02_1]") {
    THINK("ln p(a | ids) + max_b ln p(b | ids, a), for every one of the `width` first tokens");
    Rng rng(5);
    for (int round = 0; round < 60; ++round) {
        const std::size_t V =
            2 + static_cast<std::size_t>(round) / 12;  // the smallest counterexample comes first
        Table model;
        for (std::size_t i = 0; i < V; ++i)
            model.distributions.push_back(random_distribution(rng, V));
        const std::vector<int> ids{1, 0};
        std::size_t first = 0, second = 0;
        for (std::size_t a = 0; a < V; ++a) {
            for (std::size_t b = 0; b < V; ++b) {
                if (model.distributions[0][a] * model.distributions[a][b] >
                    model.distributions[0][first] * model.distributions[first][second])
                    first = a, second = b;
            }
        }
        INFO("distributions[i] is the distribution after token i; the best pair is "
             << first << ", " << second);
        const auto& distributions = model.distributions;
        int width = static_cast<int>(V);
        INPUT(ids, width, distributions);
        REQUIRE(pick(model, ids, width) == static_cast<int>(first));
        width = 1;
        INPUT(width);
        REQUIRE(pick(model, ids, width) == argmax(model(ids)));
    }
}

TEST_CASE("a width below 1 is refused", "[ex02_1]") {
    THINK("the check comes before anything is computed");
    Table model{{{.5, .5}, {.5, .5}}};
    CHECK_THROWS_AS(pick(model, {0}, 0), UsageError);
    CHECK_THROWS_AS(pick(model, {0}, -3), UsageError);
}
