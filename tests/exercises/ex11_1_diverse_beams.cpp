// Exercise 11_1: what the groups choose, and at which score.
#include "11_1_diverse_beams.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex11_1;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<std::string> words(const std::vector<Continuation>& group) {
    std::vector<std::string> list;
    for (const Continuation& c : group)
        list.push_back("beam " + std::to_string(c.beam) + " token " + std::to_string(c.token) +
                       " (" + std::to_string(c.score) + ")");
    return list;
}

void check_group(const std::vector<Continuation>& got, const std::vector<Continuation>& expected) {
    CHECK(words(got) == words(expected));  // to six places
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("the score of choice " << i);
        CHECK_NEAR(got[i].score, expected[i].score, 1e-12);
    }
}

// A step of several equal groups, and what each of them chooses.
void check_groups(const Group& g, double lambda,
                  const std::vector<std::vector<Continuation>>& expected) {
    const std::size_t groups = expected.size();
    INPUT(g.scores, g.log_probabilities);
    INFO((groups == 1   ? "one such group"
          : groups == 2 ? "two such groups"
                        : "three such groups")
         << ", λ = " << lambda);
    const auto got = diverse_step(std::vector<Group>(groups, g), lambda);
    REQUIRE(got.size() == groups);
    for (std::size_t i = 0; i < groups; ++i) check_group(got[i], expected[i]);
}

// The group's choice by its definition: again and again the best of what is left.
std::vector<Continuation> by_definition(const Group& group, double lambda,
                                        const std::vector<int>& chosen) {
    std::vector<Continuation> best;
    std::vector<std::vector<bool>> taken(group.scores.size(), std::vector<bool>(chosen.size()));
    while (best.size() < group.scores.size()) {
        std::size_t beam = 0, token = 0;
        double value = 0;
        bool any = false;
        for (std::size_t b = 0; b < group.scores.size(); ++b) {
            for (std::size_t t = 0; t < chosen.size(); ++t) {
                const double v =
                    group.scores[b] + group.log_probabilities[b][t] - lambda * chosen[t];
                if (!taken[b][t] && (!any || v > value)) beam = b, token = t, value = v, any = true;
            }
        }
        taken[beam][token] = true;
        best.push_back({static_cast<int>(beam), static_cast<int>(token),
                        group.scores[beam] + group.log_probabilities[beam][token]});
    }
    return best;
}

}  // namespace

TEST_CASE("three groups of one beam spread over three tokens", "[ex11_1]") {
    THINK("each later group pays λ for each time that a token was chosen by a group before");
    // ln .5 = −.693, ln .3 = −1.204, ln .2 = −1.609; with λ = 1 a token that was
    // chosen once loses 1.
    check_groups({{0}, {logs_of({.5, .3, .2})}}, 1,
                 {{{0, 0, std::log(.5)}}, {{0, 1, std::log(.3)}}, {{0, 2, std::log(.2)}}});
}

TEST_CASE("a weak penalty changes nothing, and grows with each group that agreed", "[ex11_1]") {
    // ln .5 − ln .3 = .511: λ = .3 is not enough for the second group, twice .3 is for the third.
    INFO("think about: the count is of all groups before, not only of the last one");
    check_groups({{0}, {logs_of({.5, .3, .2})}}, .3,
                 {{{0, 0, std::log(.5)}}, {{0, 0, std::log(.5)}}, {{0, 1, std::log(.3)}}});
}

TEST_CASE("the score that is kept is the model's own", "[ex11_1]") {
    INFO("think about: a penalty that stays in the score is paid again in every later step");
    const double score = -2 + std::log(.9);
    check_groups({{-2}, {logs_of({.9, .1})}}, .5, {{{0, 0, score}}, {{0, 0, score}}});
}

TEST_CASE("beams of one group don't push each other away", "[ex11_1]") {
    THINK("the penalty counts the groups before, not the own one");
    check_groups({{-1, -1.25}, {logs_of({.8, .1, .1}), logs_of({.8, .15, .05})}}, 100,
                 {{{0, 0, -1 + std::log(.8)}, {1, 0, -1.25 + std::log(.8)}}});
}

TEST_CASE("a token chosen by both beams of a group counts twice", "[ex11_1]") {
    THINK("count every beam's choice, not every group's");
    const Group both{{0, 0}, {logs_of({.8, .1, .1}), logs_of({.8, .1, .1})}};
    const Group next{{0, -inf}, {logs_of({.7, .2, .1}), logs_of({.7, .2, .1})}};
    // ln .7 − ln .2 = 1.25 and ln .7 − ln .1 = 1.95: once .7 would leave token 0 in front,
    // twice puts it after token 1.
    INFO(
        "group 0: scores 0 0, distributions {.8, .1, .1} twice; group 1: 0 −∞, {.7, .2, .1}; λ = "
        ".7");
    const auto got = diverse_step({both, next}, .7);
    REQUIRE(got.size() == 2);
    check_group(got[1], {{0, 1, std::log(.2)}, {0, 0, std::log(.7)}});
}

TEST_CASE("without a penalty every group does a plain step", "[ex11_1]") {
    THINK("score + log probability, the best of all beams and tokens");
    const std::vector<Continuation> each = {{0, 2, -1 + std::log(.7)}, {1, 1, -1.5 + std::log(.9)}};
    check_groups({{-1, -1.5}, {logs_of({.1, .2, .7}), logs_of({.05, .9, .05})}}, 0, {each, each});
}

TEST_CASE("of equal values the lower beam comes first, then the lower token", "[ex11_1]") {
    THINK("sort so that equals stay in order: beam, then token");
    check_groups({{-1, -1}, {{-1, -.5, -.5}, {-.5, -2, -.5}}}, 1, {{{0, 1, -1.5}, {0, 2, -1.5}}});
}

TEST_CASE("at the first step only one beam of a group lives", "[ex11_1]") {
    THINK("−∞ plus anything is −∞: never before what lives");
    const std::vector<double> p = logs_of({.6, .3, .1});
    check_groups({{0, -inf, -inf}, {p, p, p}}, .5,
                 {{{0, 0, std::log(.6)}, {0, 1, std::log(.3)}, {0, 2, std::log(.1)}}});
}

TEST_CASE("no groups: nothing to choose", "[ex11_1]") {
    THINK("an empty list, no error");
    CHECK(diverse_step({}, 1).size() == 0);
}

TEST_CASE("random groups choose what the definition says", "[ex11_1]") {
    THINK("value = score + ln p − λ · count; the score that is kept has no λ in it");
    Rng rng(11);
    for (int round = 0; round < 200; ++round) {
        const std::size_t width = 1 + rng.below(3), vocabulary = 2 + rng.below(6),
                          count = 1 + rng.below(4);
        const double lambda = static_cast<double>(rng.below(5)) / 4;
        std::vector<Group> groups(count);
        for (Group& g : groups) {
            for (std::size_t b = 0; b < width; ++b) {
                // Multiples of 1/8: ties happen, and every sum is exact.
                g.scores.push_back(-static_cast<double>(rng.below(8)) / 8);
                g.log_probabilities.emplace_back();
                for (std::size_t t = 0; t < vocabulary; ++t)
                    g.log_probabilities[b].push_back(-static_cast<double>(1 + rng.below(16)) / 8);
            }
        }
        const auto got = diverse_step(groups, lambda);
        REQUIRE(got.size() == count);
        std::vector<int> chosen(vocabulary);
        for (std::size_t g = 0; g < count; ++g) {
            INPUT(groups[g].scores, groups[g].log_probabilities, chosen, lambda);
            const auto expected = by_definition(groups[g], lambda, chosen);
            check_group(got[g], expected);
            for (const Continuation& c : expected) ++chosen[static_cast<std::size_t>(c.token)];
        }
    }
}
