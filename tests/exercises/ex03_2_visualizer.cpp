// Exercise 03_2: a temperature visualizer.
#include "03_2_visualizer.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex03_2;

namespace {

using Row = std::vector<float>;

const Row A{5, 3, 2, 1, .5f, -1, -2, -5, -6, -7}, B{4, 3.5f, 3, 2.5f, 2, 1.5f, 1, .5f, 0, -.5f};

struct Line {
    double T, entropy, top;
    int effective;
};

void check_table(const Row& logits, const std::vector<Line>& lines) {
    for (const auto& [T, entropy, top, effective] : lines) {
        const Numbers n = numbers_at(logits, T);
        INPUT(logits, T);
        CHECK_NEAR(n.entropy, entropy, 1e-6);  // six places are printed
        CHECK_NEAR(n.top, top, 1e-6);
        REQUIRE(n.effective == effective);
    }
}

void check_range(const ex03_2::Range& got, double low, double high) {
    CHECK_NEAR(got.low, low, 2e-6);  // six places, and logits as floats
    CHECK_NEAR(got.high, high, 2e-6);
}

}  // namespace

TEST_CASE("two equal tokens: entropy ln 2, top .5, both count", "[ex03_2]") {
    THINK("entropy in nats, −Σ p ln p; and equal logits stay equal, whatever T is");
    check_table({0, 0}, {{1, std::log(2.0), .5, 2}, {9, std::log(2.0), .5, 2}});
}

TEST_CASE("ten logits, half a step apart", "[ex03_2]") {
    THINK("s/T before softmax; entropy in nats; effective counts p > .01");
    check_table(B, {{.1, .040679, .993262, 1},
                    {.3, .597427, .811124, 3},
                    {.5, 1.040152, .632149, 5},
                    {.7, 1.351022, .510862, 6},
                    {1, 1.662820, .396139, 8},
                    {1.5, 1.943591, .293955, 10},
                    {2, 2.079680, .240980, 10}});
}

TEST_CASE("ten tokens by Zipf's law", "[ex03_2]") {
    THINK("s/T before softmax; entropy in nats; effective counts p > .01");
    check_table(zipf_row(10), {{.1, .007957, .999006, 1},
                               {.3, .514866, .872916, 3},
                               {.5, 1.236293, .645258, 8},
                               {.7, 1.684483, .478637, 10},
                               {1, 1.993806, .341417, 10},
                               {1.5, 2.170608, .242586, 10},
                               {2, 2.231039, .199164, 10}});
}

TEST_CASE("ten logits of a model that is sure", "[ex03_2]") {
    THINK("s/T before softmax; entropy in nats; effective counts p > .01");
    check_table(A, {{.1, 0, 1, 1},
                    {.3, .010272, .998682, 1},
                    {.5, .111137, .979182, 2},
                    {.7, .309926, .929070, 3},
                    {1, .661295, .821014, 4},
                    {1.5, 1.141062, .645918, 6},
                    {2, 1.453103, .519472, 7}});
}

TEST_CASE("exactly .01 is not above it, and of many tokens fewer count as T grows", "[ex03_2]") {
    INFO("think about: a hundred equal tokens have .01 each");
    CHECK(numbers_at(Row(100, 2), 1).effective == 0);
    CHECK(numbers_at(Row(99, 2), 1).effective == 99);
    CHECK(numbers_at(zipf_row(1000), 1).effective == 13);
    CHECK(numbers_at(zipf_row(1000), 1.2).effective == 11);
    CHECK(numbers_at(zipf_row(1000), 1.5).effective == 6);
    CHECK(numbers_at(zipf_row(1000), 2).effective == 2);
}

TEST_CASE("a token that cannot come adds nothing", "[ex03_2]") {
    INFO("think about: 0 · ln 0 is 0 here, but not for a computer");
    const Numbers n = numbers_at(Row{0, 0, -INFINITY}, 1);
    CHECK_NEAR(n.entropy, std::log(2.0), 1e-12);
}

TEST_CASE("without logits: what people commonly set", "[ex03_2]") {
    THINK("the ranges are in the task");
    INFO("factual, balanced and creative, one after the other, without logits");
    check_range(recommend_temperature("factual"), .1, .3);
    check_range(recommend_temperature("balanced"), .7, .9);
    check_range(recommend_temperature("creative"), 1, 1.5);
}

TEST_CASE("with logits: the temperatures of .30, .70 and .90", "[ex03_2]") {
    THINK(
        "entropy / ln n is .30, .70, .90 at the ends; it grows with T, so halve an interval again "
        "and again");
    struct Case {
        const char* name;
        Row logits;
        double t30, t70, t90;
    };
    for (const auto& [name, logits, t30, t70, t90] :
         {Case{"B", B, .336337, .939906, 1.962762},
          Case{"Z", zipf_row(10), .345257, .657673, 1.152377},
          Case{"A", A, 1.026069, 2.369005, 4.983424}}) {
        INFO("the logits " << name);
        check_range(recommend_temperature("factual", logits), 0, t30);
        check_range(recommend_temperature("balanced", logits), t30, t70);
        check_range(recommend_temperature("creative", logits), t70, t90);
    }
}

TEST_CASE("any logits: at the recommended temperature the entropy is the one asked for",
          "[ex03_2]") {
    THINK("put your T back into softmax: what is entropy / ln n?");
    Rng rng(32);
    for (int round = 0; round < 40; ++round) {
        const Row s = normal_row<float>(rng, 2 + static_cast<std::size_t>(round) / 4, 3);
        const double all = std::log(static_cast<double>(s.size()));
        const ex03_2::Range balanced = recommend_temperature("balanced", s),
                            creative = recommend_temperature("creative", s);
        INFO("round " << round << ", V = " << s.size() << ", T = " << balanced.low << ", "
                      << balanced.high << ", " << creative.high);
        // 1e-6: how far bisection to 1e-9 or better can leave the entropy off.
        CHECK_NEAR(numbers_at(s, balanced.low).entropy / all, .3, 1e-6);
        CHECK_NEAR(numbers_at(s, balanced.high).entropy / all, .7, 1e-6);
        CHECK_NEAR(numbers_at(s, creative.high).entropy / all, .9, 1e-6);
        CHECK_NEAR(creative.low, balanced.high, 1e-5 * balanced.high);
    }
}

TEST_CASE("an unknown task is refused, with logits and without", "[ex03_2]") {
    THINK("the task is checked whether or not there are logits");
    CHECK_THROWS_AS(recommend_temperature("poetry"), UsageError);
    CHECK_THROWS_AS(recommend_temperature("", B), UsageError);
}

TEST_CASE("where no temperature helps, that is said", "[ex03_2]") {
    INFO(
        "think about: equal logits are undecided at every temperature; of [0, 0, -9] T = 0 leaves "
        "two");
    CHECK_THROWS_AS(recommend_temperature("factual", Row{1, 1, 1}), Error);
    CHECK_THROWS_AS(recommend_temperature("creative", Row{1, 1, 1}), Error);
    CHECK_THROWS_AS(recommend_temperature("factual", Row{0, 0, -9}), Error);
    CHECK_THROWS_AS(recommend_temperature("creative", Row{0, -INFINITY, -INFINITY}), Error);
}

TEST_CASE("temperatures from a thousandth to a million are found", "[ex03_2]") {
    // Logits 1000 times as far apart need a T 1000 times as large: entropy sees s/T only.
    for (const double scale : {.005, .1, 1e3, 1e5}) {
        Row s = B;
        for (float& x : s) x = static_cast<float>(static_cast<double>(x) * scale);
        const auto got = [&] {
            const ex03_2::Range r = recommend_temperature("balanced", s);
            return std::vector<double>{r.low / scale, r.high / scale};
        };
        same(got, std::vector<double>{.336337, .939906},
             "balanced, the logits B times " + in_words(scale) + ": both ends divided by that",
             "between 10^-3 and 10^6", 3e-6);
    }
}

TEST_CASE("V counts the masked tokens too", "[ex03_2]") {
    // Four tokens, two of them masked: h is at most ln 2 / ln 4 = .5
    const Row s{3, -INFINITY, 1, -INFINITY};
    const double all = std::log(4.0);
    const ex03_2::Range factual = recommend_temperature("factual", s);
    CHECK_NEAR(numbers_at(s, factual.high).entropy / all, .3, 1e-6);
    CHECK(factual.low == 0);
    CHECK_THROWS_AS(recommend_temperature("balanced", s), Error);
    CHECK_THROWS_AS(recommend_temperature("creative", s), Error);
}

TEST_CASE("an unknown task is refused before anything is looked for", "[ex03_2]") {
    CHECK_THROWS_AS(recommend_temperature("Factual"), UsageError);
    CHECK_THROWS_AS(recommend_temperature("factual "), UsageError);
    CHECK_THROWS_AS(recommend_temperature("poetry", Row{1, 1, 1}), UsageError);
}

TEST_CASE("any row: the three numbers are those of the formulas", "[ex03_2]") {
    Rng rng(320);
    for (int round = 0; round < 2000; ++round) {
        const Row s = some_row(rng, round);
        const double T = std::exp(rng.normal());
        double entropy = 0, top = 0, effective = 0;
        for (const double x : softmax_at(s, T)) {
            entropy -= x > 0 ? x * std::log(x) : 0;
            top = std::max(top, x), effective += x > .01;
        }
        const Numbers n = numbers_at(s, T);
        same(std::vector<double>{n.entropy, n.top, double(n.effective)},
             std::vector<double>{entropy, top, effective},
             "logits " + in_words(s) + ", T = " + in_words(T), "entropy, top, effective", 1e-12);
    }
}
