// Exercise 12_01: a round of speculative decoding.
#include "12_01_round.hpp"
#include "chapters/12_speculative/plain_speculative.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;

namespace {

using Ids = std::vector<int>;
using ex12_01::Distribution;
using ex12_01::DistributionAfter;

DistributionAfter always(const Distribution& distribution) {
    return [distribution](const Ids&) { return distribution; };
}
// A different distribution after every text, some with zeros.
DistributionAfter random_distributions(std::uint64_t seed, std::size_t V) {
    return [seed, V](const Ids& text) {
        Rng rng(seed_of(text, seed));
        return random_distribution(rng, V, 4);
    };
}

void check(const DistributionAfter& target, const DistributionAfter& draft, const Ids& text,
           int length, const std::vector<double>& u, const Ids& expected,
           const std::string& think) {
    same([&] { return ex12_01::speculate(target, draft, text, length, u); }, expected,
         "text " + in_words(text) + ", length " + std::to_string(length) + ", u = " + in_words(u),
         think);
}

}  // namespace

TEST_CASE("one guess, refused and accepted", "[ex12_01]") {
    const DistributionAfter p = always({.5, .5}), q = always({1, 0});
    check(p, q, {}, 1, {.3, .7, .9}, {1}, ".7 is not below .5; the residual is {0, .5}");
    check(p, q, {}, 1, {.3, .4, .9}, {0, 1}, ".4 is below .5; one more from p");
    check(p, q, {}, 1, {.3, .5, .9}, {1}, ".5 is not below .5");
    check(p, q, {7}, 1, {.3, .4, .1}, {7, 0, 0}, "the text stays in front");
}

TEST_CASE("no guess: one token from the target", "[ex12_01]") {
    check(always({.5, .5}), always({1, 0}), {4}, 0, {.75}, {4, 1}, "length 0");
}

TEST_CASE("a draft that agrees is always accepted", "[ex12_01]") {
    const DistributionAfter p = always({.25, .25, .5});
    check(p, p, {}, 3, {.1, .3, .6, .99, .99, .99, .9}, {0, 1, 2, 2}, "three guesses and one more");
}

TEST_CASE("after the first refusal the guesses are lost", "[ex12_01]") {
    const DistributionAfter p = always({0, 1}), q = always({.5, .5});
    check(p, q, {}, 3, {.9, .1, .9, .5, .5, .5, .5}, {1, 1}, "1 is accepted, 0 never");
    check(p, q, {}, 3, {.1, .9, .9, .5, .5, .5, .5}, {1}, "0 is never accepted");
    check(p, q, {}, 3, {.9, .9, .9, .5, .5, .5, .5}, {1, 1, 1, 1}, "all accepted, and one more");
}

TEST_CASE("each distribution is the one after the text so far", "[ex12_01]") {
    // After a text of n tokens only token n can come, for both.
    const DistributionAfter counts = [](const Ids& text) {
        Distribution distribution(6);
        distribution[text.size()] = 1;
        return distribution;
    };
    check(counts, counts, {0}, 3, {.5, .5, .5, .5, .5, .5, .5}, {0, 1, 2, 3, 4},
          "one after another");
}

TEST_CASE("random distributions: the same as the chapter's round, with the same u", "[ex12_01]") {
    Rng rng(121);
    for (int round = 0; round < 4000; ++round) {
        const std::size_t V = 1 + rng.below(5);
        const DistributionAfter target = random_distributions(rng.next(), V),
                                draft = random_distributions(rng.next(), V);
        const Ids text = random_ids(rng, rng.below(3), V);
        const int length = int(rng.below(4));
        std::vector<double> u(2 * std::size_t(length) + 1);
        for (double& x : u) x = rng.uniform();
        check(target, draft, text, length, u, plain_round(target, draft, text, length, u),
              "the rule, step by step");
    }
}

TEST_CASE("what comes out follows the target's distribution", "[ex12_01]") {
    // Tens of thousands of first tokens: a draft that knows nothing, a target that is sure.
    Rng rng(122);
    const Distribution p{.7, .2, .1, 0};
    const DistributionAfter target = always(p), draft = always({.25, .25, .25, .25});
    std::map<int, int> first;
    constexpr int rounds = 40000;
    for (int i = 0; i < rounds; ++i) {
        const std::vector<double> u{rng.uniform(), rng.uniform(), rng.uniform(), rng.uniform(),
                                    rng.uniform()};
        ++first[ex12_01::speculate(target, draft, {}, 2, u).at(0)];
    }
    for (int id = 0; id < 4; ++id) {
        const double share = double(first[id]) / rounds;
        INFO("how often token " << id << " came first, of " << rounds << " rounds");
        CHECK_NEAR(share, p[std::size_t(id)], .01);  // four standard deviations
    }
}

TEST_CASE("the draft is asked length times, the target once for each token that comes out",
          "[ex12_01]") {
    int drafts = 0, targets = 0;
    const DistributionAfter draft = [&](const Ids&) { return ++drafts, Distribution{.5, .5}; };
    const DistributionAfter target = [&](const Ids&) { return ++targets, Distribution{.5, .5}; };
    const Ids got = ex12_01::speculate(target, draft, {}, 4, std::vector<double>(9, .5));
    INFO("four guesses, all accepted: asked of the draft, of the target; tokens that came out");
    CHECK((Ids{drafts, targets, int(got.size())}) == (Ids{4, 5, 5}));
}
