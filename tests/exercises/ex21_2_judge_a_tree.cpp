// Exercise 21_2: several guesses for one place, judged one after the other.
#include <cmath>
#include <functional>

#include "21_2_judge_a_tree.hpp"
#include "lib/kernels/rng.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex21_2;

namespace {

Law random_law(std::uint64_t seed, std::size_t V) {
    Rng rng(seed);
    Law p;
    double sum = 0;
    for (std::size_t v = 0; v < V; ++v) sum += p.emplace_back(0.02 + rng.uniform());
    for (double& x : p) x /= sum;
    return p;
}

// The law of the token and how often a guess is accepted, over every way of drawing and judging.
struct Outcome {
    Law law;
    double accepted = 0;
};

Outcome enumerate(const Law& p, const Law& q, int n) {
    Outcome all{Law(p.size()), 0};
    std::vector<int> guesses;
    // The draws: of the guesses, with their probability. The judgements: a u of 0 accepts if
    // anything does, and 1 − 1e-16 … is found by trying both.
    const std::function<void(Law, double)> draw = [&](Law left, double probability) {
        if (static_cast<int>(guesses.size()) < n) {
            for (std::size_t v = 0; v < p.size(); ++v) {
                if (left[v] == 0) continue;
                Law next = left;
                next[v] = 0;
                double sum = 0;
                for (const double x : next) sum += x;
                for (double& x : next) x = sum > 0 ? x / sum : 0;
                guesses.push_back(static_cast<int>(v));
                draw(next, probability * left[v]);
                guesses.pop_back();
            }
            return;
        }
        // Which guess would be accepted is a question of its u alone: those before it fail.
        double open = 1;
        Law target = p, drafted = q;
        for (std::size_t i = 0; i < guesses.size() && open > 0; ++i) {
            const auto x = static_cast<std::size_t>(guesses[i]);
            const double chance = std::min(1.0, target[x] / drafted[x]);
            std::vector<double> u(guesses.size(), .5);
            for (std::size_t j = 0; j < i; ++j) u[j] = std::nextafter(1.0, 0.0);
            if (chance > 0) {
                u[i] = chance / 2;
                REQUIRE(judge(p, q, guesses, u).accepted == static_cast<int>(i));
                all.law[x] += probability * open * chance;
                all.accepted += probability * open * chance;
            }
            open *= 1 - chance;
            Law rest;
            double sum = 0;
            for (std::size_t v = 0; v < p.size(); ++v)
                sum += rest.emplace_back(std::max(0.0, target[v] - drafted[v]));
            if (sum > 0)
                for (std::size_t v = 0; v < p.size(); ++v) target[v] = rest[v] / sum;
            drafted[x] = 0;
            double left_over = 0;
            for (const double d : drafted) left_over += d;
            for (double& d : drafted) d = left_over > 0 ? d / left_over : 0;
        }
        if (open < 1e-15) return;
        const Verdict none =
            judge(p, q, guesses, std::vector<double>(guesses.size(), std::nextafter(1.0, 0.0)));
        REQUIRE(none.accepted == -1);
        REQUIRE(none.rest.size() == p.size());
        for (std::size_t v = 0; v < p.size(); ++v) all.law[v] += probability * open * none.rest[v];
    };
    draw(q, 1);
    return all;
}

}  // namespace

TEST_CASE("what is left of p and q, by hand", "[ex21_2]") {
    THINK("p minus q, never below 0, divided by its sum; q without the token, divided by its sum");
    // p − q = (.3, 0, −.3).
    const Law rest = after_rejection({.5, .3, .2}, {.2, .3, .5});
    REQUIRE(rest.size() == 3);
    CHECK_NEAR(rest[0], 1, 1e-12);
    CHECK_NEAR(rest[1], 0, 1e-12);
    const Law same = after_rejection({.4, .6}, {.4, .6});
    CHECK_NEAR(same[1], .6, 1e-12);
    const Law q = without({.2, .3, .5}, 2);
    CHECK_NEAR(q[0], .4, 1e-12);
    CHECK_NEAR(q[1], .6, 1e-12);
    CHECK_NEAR(q[2], 0, 1e-12);
    for (const double x : without({0, 1}, 1)) CHECK_NEAR(x, 0, 1e-12);
}

TEST_CASE("two guesses, by hand: C is rejected, and then A is certain", "[ex21_2]") {
    THINK("after a rejection both p and q are others");
    const Law p{.5, .3, .2}, q{.2, .3, .5};
    // C stands with .2/.5; behind it p is (1, 0, 0) and q is (.4, .6, 0).
    REQUIRE(judge(p, q, {2, 0}, {.39, .9}).accepted == 0);
    REQUIRE(judge(p, q, {2, 0}, {.41, .9}).accepted == 1);
    REQUIRE(judge(p, q, {2, 0}, {.4, .9}).accepted == 1);  // .2/.5 is not below itself
    THINK("B has been served in full, and is not accepted any more");
    const Verdict none = judge(p, q, {2, 1}, {.41, 0});
    REQUIRE(none.accepted == -1);
    CHECK_NEAR(none.rest[0], 1, 1e-12);
}

TEST_CASE("no guess: the token is drawn from p", "[ex21_2]") {
    THINK("with no guess there is nothing to judge");
    const Verdict none = judge({.1, .9}, {.5, .5}, {}, {});
    REQUIRE(none.accepted == -1);
    CHECK_NEAR(none.rest[1], .9, 1e-12);
}

TEST_CASE("the law is the target's, for any number of guesses", "[ex21_2]") {
    THINK("what is left of p after each rejection is what the next guess is judged by");
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Law p = random_law(seed, 4), q = random_law(seed + 30, 4);
        double before = 0;
        for (int n = 0; n <= 4; ++n) {
            const Outcome all = enumerate(p, q, n);
            for (std::size_t v = 0; v < p.size(); ++v) CHECK_NEAR(all.law[v], p[v], 1e-12);
            THINK("more guesses are accepted more often");
            EXPECT(all.accepted > before - 1e-12, "accepted as often as with fewer, or more",
                   all.accepted);
            before = all.accepted;
        }
        CHECK_NEAR(before, 1, 1e-12);
    }
}
