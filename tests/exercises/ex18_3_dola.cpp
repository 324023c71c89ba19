// Exercise 18_3: DoLa, the distribution of two layers.
#include "18_3_dola.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex18_3;

namespace {

// A handful of roundings, of numbers around 1.
constexpr double rounding = 1e-9;

Row probabilities(const Row& logits) {
    Row p = logits;
    for (double& x : p) x = std::exp(x);
    return divided_by_sum(p);
}

double js_by_definition(const Row& p, const Row& q) {
    double to_p = 0, to_q = 0;
    for (std::size_t x = 0; x < p.size(); ++x) {
        const double m = (p[x] + q[x]) / 2;
        if (p[x] > 0) to_p += p[x] * std::log(p[x] / m);
        if (q[x] > 0) to_q += q[x] * std::log(q[x] / m);
    }
    return to_p / 2 + to_q / 2;
}

// With probabilities, where no logit is large.
Row dola_by_definition(const std::vector<Row>& layers, const Row& last, double alpha) {
    const Row p = probabilities(last);
    Row best;
    double most = -1;
    for (const Row& layer : layers) {
        const Row q = probabilities(layer);
        const double js = js_by_definition(p, q);
        if (js > most) most = js, best = q;
    }
    const double border = alpha * *std::max_element(p.begin(), p.end());
    Row distribution;
    for (std::size_t x = 0; x < p.size(); ++x)
        distribution.push_back(p[x] < border * (1 - 1e-12) ? 0 : p[x] / best[x]);
    return divided_by_sum(distribution);
}

const Row last = logs_of({.5, .4, .06, .04});
const Row like_it = logs_of({.4, .4, .1, .1}), unlike = logs_of({.8, .1, .06, .04});

}  // namespace

TEST_CASE("the statement's example", "[ex18_3]") {
    INPUT(last, like_it, unlike);
    CHECK_NEAR(divergence(last, like_it), .0119516686, 1e-9);
    CHECK_NEAR(divergence(last, unlike), .0656508690, 1e-9);
    CHECK(premature({like_it, unlike}, last) == 1);
    CHECK_NEAR(dola({like_it, unlike}, last, .1), (Row{1 / 9., 32 / 45., 8 / 45., 0}), rounding);
}

TEST_CASE(
    "equal distributions diverge by 0, distributions with nothing in common by ln 2, either way "
    "round",
    "[ex18_3]") {
    THINK("m is half of the sum of both, and each of the two sums counts half");
    INPUT(last, unlike);
    CHECK_NEAR(divergence(unlike, unlike), 0, rounding);
    CHECK_NEAR(divergence(unlike, last), divergence(last, unlike), rounding);
    CHECK_NEAR(divergence({0, -5000}, {-5000, 0}), std::log(2), rounding);
    THINK(
        "0 · ln 0 is 0 here: a token that cannot come adds nothing for p, and q · ln 2 / 2 for q");
    CHECK_NEAR(divergence({0, -HUGE_VAL}, {0, 0}),
               std::log(1 / .75) / 2 + (.5 * std::log(.5 / .75) + .5 * std::log(2)) / 2, rounding);
}

TEST_CASE("a constant added to all logits changes nothing", "[ex18_3]") {
    THINK("log_softmax takes the constant away");
    const auto moved = [](Row row, double by) {
        for (double& s : row) s += by;
        return row;
    };
    const Row up = moved(last, 3000), down = moved(unlike, -2000);
    INPUT(up, down);
    CHECK_NEAR(divergence(up, down), .0656508690, 1e-9);
    CHECK(premature({moved(like_it, 500), down}, up) == 1);
    CHECK_NEAR(dola({down}, up, .1), (Row{1 / 9., 32 / 45., 8 / 45., 0}), rounding);
}

TEST_CASE("the layer that differs most, of equal ones the earliest; without layers an Error",
          "[ex18_3]") {
    THINK("the greatest divergence from the last layer");
    INPUT(last, like_it, unlike);
    CHECK(premature({unlike, like_it}, last) == 0);
    CHECK(premature({like_it, unlike, like_it}, last) == 1);
    CHECK(premature({last}, last) == 0);
    THINK("of equal divergences the earliest");
    CHECK(premature({like_it, unlike, unlike}, last) == 1);
    CHECK(premature({last, last}, last) == 0);
    CHECK_THROWS_AS(premature({}, last), Error);
    CHECK_THROWS_AS(dola({}, last, .1), Error);
}

TEST_CASE("the layer is chosen by both halves of the divergence", "[ex18_3]") {
    THINK("Jensen-Shannon, not one of the one-sided divergences");
    Rng rng(5);
    for (int round = 0; round < 60; ++round) {
        const std::vector<Row> rows = normal_rows(rng, 3, 3, 2);
        const Row &p = rows[0], &a = rows[1], &b = rows[2];
        const double of_a = js_by_definition(probabilities(p), probabilities(a)),
                     of_b = js_by_definition(probabilities(p), probabilities(b));
        if (std::abs(of_a - of_b) < 1e-9) continue;
        INPUT(p, a, b);
        CHECK_NEAR(divergence(p, a), of_a, rounding);
        CHECK(premature({a, b}, p) == (of_b > of_a ? 1 : 0));
    }
}

TEST_CASE("what the last layer finds improbable cannot come, however much it has grown",
          "[ex18_3]") {
    THINK("the border is a share of the greatest p of the last layer");
    const Row grown = logs_of({.5, .4999, .00005, .00005});
    INPUT(last, grown);
    const Row distribution = dola({grown}, last, .1);
    REQUIRE(distribution.size() == 4);
    CHECK(distribution[3] == 0);
    EXPECT(distribution[2] > .99, "the third leads: .06 is above the border of .05", distribution);
    INFO("α = .2");
    const Row narrow = dola({grown}, last, .2);
    CHECK(narrow[2] == 0);
    THINK("α = 1 leaves the most probable; the border itself may come");
    INFO("α = 1");
    CHECK_NEAR(dola({unlike}, last, 1), (Row{1, 0, 0, 0}), rounding);
    const Row two = logs_of({.45, .45, .1}), early = logs_of({.6, .2, .2});
    INPUT(two, early);
    CHECK_NEAR(dola({early}, two, 1), (Row{.25, .75, 0}), rounding);
}

TEST_CASE("what no layer has changed is shared evenly", "[ex18_3]") {
    THINK("p/q is 1 for every token that may come");
    INPUT(last);
    CHECK_NEAR(dola({last}, last, .1), (Row{1 / 3., 1 / 3., 1 / 3., 0}), rounding);
    CHECK_NEAR(dola({last}, last, .001), (Row{.25, .25, .25, .25}), rounding);
}

TEST_CASE("a token that is banned stays banned", "[ex18_3]") {
    THINK("ln p is -inf there, and no border lets it through");
    const Row banned{-HUGE_VAL, 0, 0}, early{0, 0, std::log(.5)};
    INPUT(banned, early);
    CHECK_NEAR(dola({early}, banned, .001), (Row{0, 1 / 3., 2 / 3.}), rounding);
}

TEST_CASE("an early distribution that gives nearly nothing: the contrast stays a number",
          "[ex18_3]") {
    THINK("ln p - ln q, not p/q: here q is less than a double holds");
    INFO("the last layer's logits {0 -1 -1}, the early one's {5000 0 0}, α = .1");
    CHECK_NEAR(dola({{5000, 0, 0}}, {0, -1, -1}, .1), (Row{0, .5, .5}), rounding);
}

TEST_CASE("random layers: the distribution is what the definition says", "[ex18_3]") {
    THINK("the statement, sentence by sentence");
    Rng rng(183);
    for (int round = 0; round < 300; ++round) {
        const std::size_t V = 2 + rng.below(6);
        const std::vector<Row> layers = normal_rows(rng, 1 + rng.below(4), V, 2);
        const Row row = normal_row(rng, V, 2);
        const double alpha = static_cast<double>(1 + rng.below(9)) / 10;
        INPUT(layers, row, alpha);
        const Row distribution = dola(layers, row, alpha);
        CHECK_NEAR(distribution, dola_by_definition(layers, row, alpha), rounding);
    }
}

TEST_CASE("the distribution of whole texts, every one enumerated", "[ex18_3]") {
    THINK("the chance of a text is the product of what each of its tokens has");
    // Two early layers and a last one for each text, by its tokens.
    const auto layers_of = [](const std::vector<int>& text, std::uint64_t seed) {
        Rng rng(seed_of(text, seed));
        return normal_rows(rng, 3, 3, 2);
    };
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        double all = 0;
        int possible = 0;
        const std::function<void(std::vector<int>, double, double)> walk =
            [&](std::vector<int> text, double got, double expected) {
                if (text.size() == 3) {
                    INPUT(text);
                    INFO("the probability of a text, layers made by seed " << seed);
                    CHECK_NEAR(got, expected, rounding);
                    all += got, possible += got > 0;
                    return;
                }
                std::vector<Row> layers = layers_of(text, seed);
                const Row row = layers.back();
                layers.pop_back();
                const Row distribution = dola(layers, row, .3);
                REQUIRE(distribution.size() == 3);
                for (int id = 0; id < 3; ++id) {
                    const auto x = static_cast<std::size_t>(id);
                    std::vector<int> longer = text;
                    longer.push_back(id);
                    walk(longer, got * distribution[x],
                         expected * dola_by_definition(layers, row, .3)[x]);
                }
            };
        walk({}, 1, 1);
        INFO("the 27 texts of 3 tokens, layers made by seed " << seed);
        CHECK_NEAR(all, 1, rounding);
        EXPECT(possible < 27, "the border makes some texts impossible", possible);
    }
}
