// Exercise 21_2: several guesses for one place, judged one after the other.
#include "21_2_judge_a_tree.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex21_2;

namespace {

Distribution distribution_of(std::uint64_t seed, std::size_t V) {
    Rng rng(seed);
    return random_distribution(rng, V);
}

const Checker check_rest("after_rejection(p, q)", ex21_2::after_rejection, 1e-12);
const Checker check_without("without(q, x)", ex21_2::without, 1e-12);

void check_judge(const Distribution& p, const Distribution& q, const std::vector<int>& guesses,
                 const std::vector<double>& u, int accepted, const Distribution& rest,
                 const char* think) {
    INPUT(p, q, guesses, u);
    THINK(think);
    const Verdict verdict = judge(p, q, guesses, u);
    CHECK(verdict.accepted == accepted);
    if (accepted < 0) CHECK_NEAR(verdict.rest, rest, 1e-12);
}

// The distribution of the token and how often a guess is accepted, over every way of drawing and
// judging.
struct Outcome {
    Distribution distribution;
    double accepted = 0;
};

// The distribution without one token; all 0 where nothing is left.
Distribution without_one(Distribution p, std::size_t x) {
    p[x] = 0;
    return *std::max_element(p.begin(), p.end()) > 0 ? divided_by_sum(p) : p;
}

constexpr const char* think =
    "what is left of p after each rejection is what the next guess is judged by";

Outcome enumerate(const Distribution& p, const Distribution& q, int n) {
    Outcome all{Distribution(p.size()), 0};
    std::vector<int> guesses;
    // The draws: of the guesses, with their probability. The judgements: a u of 0 accepts if
    // anything does, and 1 − 1e-16 … is found by trying both.
    const std::function<void(Distribution, double)> draw = [&](Distribution left,
                                                               double probability) {
        if (static_cast<int>(guesses.size()) < n) {
            for (std::size_t v = 0; v < p.size(); ++v) {
                if (left[v] == 0) continue;
                guesses.push_back(static_cast<int>(v));
                draw(without_one(left, v), probability * left[v]);
                guesses.pop_back();
            }
            return;
        }
        // Which guess would be accepted is a question of its u alone: those before it fail.
        double open = 1;
        Distribution target = p, drafted = q;
        for (std::size_t i = 0; i < guesses.size() && open > 0; ++i) {
            const auto x = static_cast<std::size_t>(guesses[i]);
            const double chance = std::min(1.0, target[x] / drafted[x]);
            std::vector<double> u(guesses.size(), .5);
            for (std::size_t j = 0; j < i; ++j) u[j] = std::nextafter(1.0, 0.0);
            if (chance > 0) {
                u[i] = chance / 2;
                check_judge(p, q, guesses, u, static_cast<int>(i), {}, think);
                all.distribution[x] += probability * open * chance;
                all.accepted += probability * open * chance;
            }
            open *= 1 - chance;
            Distribution rest;
            for (std::size_t v = 0; v < p.size(); ++v)
                rest.push_back(std::max(0.0, target[v] - drafted[v]));
            if (*std::max_element(rest.begin(), rest.end()) > 0) target = divided_by_sum(rest);
            drafted = without_one(drafted, x);
        }
        if (open < 1e-15) return;
        const std::vector<double> u(guesses.size(), std::nextafter(1.0, 0.0));
        check_judge(p, q, guesses, u, -1, target, think);
        const Verdict none = judge(p, q, guesses, u);
        for (std::size_t v = 0; v < p.size(); ++v)
            all.distribution[v] += probability * open * none.rest[v];
    };
    draw(q, 1);
    return all;
}

}  // namespace

TEST_CASE("what is left of p and q, by hand", "[ex21_2]") {
    check_rest({.5, .3, .2}, {.2, .3, .5}, {1, 0, 0}, "p − q is .3, 0, −.3: never below 0");
    check_rest({.6, .3, .1}, {.2, .2, .6}, {.8, .2, 0}, ".4 and .1 are left, divided by .5");
    check_rest({.4, .6}, {.4, .6}, {.4, .6}, "nothing is left: p itself");
    check_rest({.5 + 1e-12, .5 - 1e-12}, {.5, .5}, {1, 0}, "10^-12 is little, and not nothing");
    check_without({.2, .3, .5}, 2, {.4, .6, 0}, "q without the token, divided by its sum");
    check_without({.2, .3, .5}, 0, {0, .375, .625}, "q without the token, divided by its sum");
    check_without({0, 1}, 1, {0, 0}, "nothing is left: all 0");
    check_without({1 - 1e-12, 1e-12}, 0, {0, 1}, "10^-12 is little, and not nothing");
}

TEST_CASE("two guesses, by hand: C is rejected, and then A is certain", "[ex21_2]") {
    const Distribution p{.5, .3, .2}, q{.2, .3, .5};
    // C is accepted with .2/.5; after it p is (1, 0, 0) and q is (.4, .6, 0).
    check_judge(p, q, {2, 0}, {.39, .9}, 0, {}, "C is accepted below .2/.5");
    check_judge(p, q, {2, 0}, {.41, .9}, 1, {}, "after a rejection both p and q are others");
    check_judge(p, q, {2, 0}, {.4, .9}, 1, {}, ".2/.5 is not below itself");
    check_judge(p, q, {2, 1}, {.41, 0}, -1, {1, 0, 0},
                "B has been served in full, and is not accepted any more");
}

TEST_CASE("no guess: the token is drawn from p", "[ex21_2]") {
    check_judge({.1, .9}, {.5, .5}, {}, {}, -1, {.1, .9},
                "with no guess there is nothing to judge");
}

TEST_CASE("the distribution is the target's, for any number of guesses", "[ex21_2]") {
    THINK(think);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Distribution p = distribution_of(seed, 4), q = distribution_of(seed + 30, 4);
        double before = 0;
        for (int n = 0; n <= 4; ++n) {
            INPUT(p, q, n);
            const Outcome all = enumerate(p, q, n);
            CHECK_NEAR(all.distribution, p, 1e-12);
            THINK("more guesses are accepted more often");
            EXPECT(all.accepted > before - 1e-12, "accepted as often as with fewer, or more",
                   all.accepted);
            before = all.accepted;
        }
        CHECK_NEAR(before, 1, 1e-12);
    }
}
