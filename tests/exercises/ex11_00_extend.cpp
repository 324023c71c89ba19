// Exercise 11_00: one beam, extended, and the score of a text.
#include "11_00_extend.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex11_00;

namespace {

// A few additions of numbers near 1, and std::pow.
constexpr double rounding = 1e-13;

void check_beams(const Beam& beam, const std::vector<double>& logs,
                 const std::vector<std::vector<int>>& ids, const std::vector<double>& sums,
                 const char* think) {
    INFO("texts, sums: the beams that extended(beam, logs) gives");
    INFO("the beam " << in_words(beam.ids) << " with the sum " << beam.sum);
    INPUT(logs);
    THINK(think);
    const std::vector<Beam> beams = extended(beam, logs);
    std::vector<std::vector<int>> texts;
    std::vector<double> got;
    for (const Beam& next : beams) texts.push_back(next.ids), got.push_back(next.sum);
    CHECK(texts == ids);
    CHECK_NEAR(got, sums, rounding);
}

void check_longer(const Beam& beam, int id, double log, const std::vector<int>& ids, double sum,
                  const char* think) {
    INFO("longer(beam, id, log) of the beam " << in_words(beam.ids) << " with the sum " << beam.sum
                                              << ", id " << id << ", log " << log);
    THINK(think);
    const Beam next = longer(beam, id, log);
    CHECK(next.ids == ids);
    CHECK_NEAR(next.sum, sum, rounding);
}

const Checker check_score("score(sum, tokens, a)", ex11_00::score, rounding);

}  // namespace

TEST_CASE("the beam 7 with -1, and one token more", "[ex11_00]") {
    check_longer({{7}, -1}, 2, -.5, {7, 2}, -1.5, "the id after the others, ln p added");
    check_longer({{}, 0}, 5, -2, {5}, -2, "the first token");
    check_longer({{1, 2, 3}, -4}, 0, 0, {1, 2, 3, 0}, -4, "a certain token costs nothing");
}

TEST_CASE("the beam 7 with -1, extended by three tokens", "[ex11_00]") {
    check_beams({{7}, -1}, {-.5, -HUGE_VAL, -2}, {{7, 0}, {7, 2}}, {-1.5, -3},
                "token 1 has −∞ and makes no beam; token 2 keeps its id");
    check_beams({{7}, -1}, {-1, -1, -1}, {{7, 0}, {7, 1}, {7, 2}}, {-2, -2, -2}, "by id");
    check_beams({{7, 2, 5}, -4}, {-.25, -3}, {{7, 2, 5, 0}, {7, 2, 5, 1}}, {-4.25, -7},
                "the whole text, and one token more");
}

TEST_CASE("sums are added, whatever they are", "[ex11_00]") {
    check_beams({{}, 0}, {-1, -2}, {{0}, {1}}, {-1, -2}, "a beam without tokens");
    check_beams({{3}, -2}, {0}, {{3, 0}}, {-2}, "a certain token costs nothing, and makes a beam");
    check_beams({{3}, -2}, {-1e6, -1}, {{3, 0}, {3, 1}}, {-1000002, -3},
                "very improbable is not impossible");
    check_beams({{3}, -2}, {-1, -3, -2}, {{3, 0}, {3, 1}, {3, 2}}, {-3, -5, -4},
                "by id, not by sum: choosing comes later");
}

TEST_CASE("nothing to extend by", "[ex11_00]") {
    check_beams({{3}, -2}, {-HUGE_VAL, -HUGE_VAL}, {}, {}, "no token is possible: no beam");
    check_beams({{3}, -2}, {}, {}, {}, "no tokens, no beams");
}

TEST_CASE("the score: the sum, divided by a power of the length", "[ex11_00]") {
    check_score(-1.2, 2, 0, -1.2, "tokens^0 is 1");
    check_score(-2.4, 6, 0, -2.4, "tokens^0 is 1");
    check_score(-1.2, 2, 1, -.6, "a = 1: the mean");
    check_score(-2.4, 6, 1, -.4, "a = 1: the mean");
    check_score(-8, 4, .5, -4, "a = 1/2: divided by the root of the length");
    check_score(-8, 4, 2, -.5, "a = 2: divided by the square");
    check_score(-8, 4, -1, -32, "below 0 the length is multiplied");
    check_score(-3, 1, 5, -3, "1 to any power");
    check_score(0, 3, 1, 0, "a certain text");
}

TEST_CASE("any beam", "[ex11_00]") {
    Rng rng(1100);
    for (int round = 0; round < 300; ++round) {
        const double sum = -5 * rng.uniform();
        const Beam beam{random_ids(rng, rng.below(4), 9), sum};
        std::vector<double> logs, sums;
        std::vector<std::vector<int>> texts;
        for (int id = 0, V = int(rng.below(6)); id < V; ++id) {
            logs.push_back(rng.below(4) == 0 ? -HUGE_VAL : -3 * rng.uniform());
            if (logs.back() == -HUGE_VAL) continue;
            texts.push_back(beam.ids), texts.back().push_back(id);
            sums.push_back(beam.sum + logs.back());
        }
        check_beams(beam, logs, texts, sums, "one longer beam for every token that is possible");
        const int tokens = 1 + int(rng.below(9));
        const double a = 2 * rng.uniform();
        check_score(beam.sum, tokens, a, beam.sum * std::exp(-a * std::log(tokens)),
                    "sum / tokens^a");
    }
}
