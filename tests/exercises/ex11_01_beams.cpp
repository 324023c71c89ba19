// Exercise 11_01: beam search.
#include "11_01_beams.hpp"
#include "chapters/11_beam_search/plain_beam_search.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex11_01;

namespace {

using Ids = std::vector<int>;
using Distribution = std::vector<double>;

struct Expected {
    Ids ids;
    double p;
};
void check(const LogDistribution& distribution, const Ids& prompt, std::size_t B, int n, int eos,
           const std::vector<Expected>& expected, const std::string& think) {
    std::vector<double> first = distribution(prompt);
    for (double& x : first) x = std::exp(x);
    INFO("prompt " << in_words(prompt) << ", after it p = " << in_words(first) << ", B = " << B
                   << ", n = " << n << ", eos = " << eos);
    THINK(think);
    const std::vector<Beam> got = beam_search(distribution, prompt, B, n, eos);
    std::string wanted, have;
    for (const Expected& e : expected) wanted += in_words(e.ids) + " " + in_words(e.p) + "  ";
    for (const Beam& b : got) have += in_words(b.ids) + " " + in_words(std::exp(b.sum)) + "  ";
    CHECK(have == wanted);
}

Distribution trap(const Ids& ids) {
    if (ids == Ids{7}) return logs_of({.6, .4});
    return ids.back() == 0 ? logs_of({.5, .5}) : logs_of({.1, .9});
}
// Token 2 ends a text.
Distribution with_end(const Ids& ids) {
    return ids.size() == 1 ? logs_of({.3, .3, .4}) : logs_of({.25, .5, .25});
}

}  // namespace

TEST_CASE("one beam is greedy, two find more", "[ex11_01]") {
    check(trap, {7}, 1, 2, -1, {{{7, 0, 0}, .3}}, "one beam");
    check(trap, {7}, 2, 2, -1, {{{7, 1, 1}, .36}, {{7, 0, 0}, .3}}, "two beams");
    check(trap, {7}, 9, 2, -1,
          {{{7, 1, 1}, .36}, {{7, 0, 0}, .3}, {{7, 0, 1}, .3}, {{7, 1, 0}, .04}}, "all there are");
}

TEST_CASE("no token and one token", "[ex11_01]") {
    check(trap, {7}, 3, 0, -1, {{{7}, 1}}, "the prompt");
    check(trap, {7}, 3, 1, -1, {{{7, 0}, .6}, {{7, 1}, .4}}, "the most probable first");
}

TEST_CASE("what has ended is never extended, and takes its place among the B", "[ex11_01]") {
    check(with_end, {9}, 1, 3, 2, {{{9, 2}, .4}}, "the one beam has ended");
    check(with_end, {9}, 2, 2, 2, {{{9, 2}, .4}, {{9, 0, 1}, .15}, {{9, 0, 0}, .075}},
          "one has ended, one is live; then two more are found");
    check(with_end, {9}, 2, 1, 2, {{{9, 2}, .4}, {{9, 0}, .3}},
          "after the last token what is live is finished too");
}

TEST_CASE("an eos in the prompt ends no beam", "[ex11_01]") {
    const LogDistribution distribution = [](const Ids&) { return logs_of({.75, .25}); };
    check(distribution, {1}, 1, 2, 1, {{{1, 0, 0}, .5625}}, "only what is generated ends");
}

TEST_CASE("of equal sums the earlier beam, and its lower id", "[ex11_01]") {
    const LogDistribution flat = [](const Ids&) { return logs_of({.25, .25, .25, .25}); };
    check(flat, {}, 2, 2, -1, {{{0, 0}, .0625}, {{0, 1}, .0625}}, "a stable sort");
    check(flat, {}, 3, 1, -1, {{{0}, .25}, {{1}, .25}, {{2}, .25}}, "a stable sort");
    // Forty equal ones: an unstable sort shuffles them.
    const LogDistribution wide = [](const Ids&) { return Distribution(40, std::log(1 / 40.)); };
    const std::vector<Beam> got = beam_search(wide, {}, 20, 1, -1);
    Ids ids;
    for (const Beam& beam : got) ids.push_back(beam.ids.empty() ? -1 : beam.ids.back());
    Ids expected(20);
    for (int i = 0; i < 20; ++i) expected[std::size_t(i)] = i;
    same(ids, expected, "forty equal tokens, B = 20", "a stable sort");
    // Two texts of the same probability: the one that finished first.
    const LogDistribution halves = [](const Ids& text) {
        return text.empty() ? logs_of({.25, .5, .25}) : logs_of({.5, .25, .25});
    };
    check(halves, {}, 2, 2, 0, {{{0}, .25}, {{1, 0}, .25}, {{1, 1}, .125}},
          "what finished earlier");
    const LogDistribution middle = [](const Ids&) { return logs_of({.25, .5, .25}); };
    check(middle, {}, 2, 2, 0, {{{0}, .25}, {{1, 1}, .25}, {{1, 0}, .125}},
          "what finished earlier");
}

TEST_CASE("a token that cannot come makes no beam", "[ex11_01]") {
    const LogDistribution distribution = [](const Ids&) {
        return Distribution{-HUGE_VAL, 0, -HUGE_VAL};
    };
    check(distribution, {5}, 3, 2, -1, {{{5, 1, 1}, 1}}, "one way only");
    const LogDistribution none = [](const Ids&) { return Distribution{-HUGE_VAL, -HUGE_VAL}; };
    check(none, {5}, 3, 2, -1, {}, "no way at all");
    const LogDistribution unlikely = [](const Ids&) { return Distribution{-60, -300, -HUGE_VAL}; };
    check(unlikely, {5}, 3, 1, -1, {{{5, 0}, std::exp(-60)}, {{5, 1}, std::exp(-300)}},
          "an improbable token is possible; only ln p = −∞ is not");
}

TEST_CASE("the distribution is asked once for each live beam", "[ex11_01]") {
    int asked = 0;
    const LogDistribution distribution = [&](const Ids& ids) {
        ++asked;
        return trap(ids);
    };
    beam_search(distribution, {7}, 2, 3, -1);
    INFO("beam_search(…, {7}, 2, 3, -1): times that the distribution was asked, 1 + 2 + 2");
    CHECK(asked == 5);
}

TEST_CASE("random models: the same as the chapter's", "[ex11_01]") {
    Rng rng(111);
    for (int round = 0; round < 400; ++round) {
        const std::size_t V = 2 + rng.below(4);
        const std::uint64_t seed = rng.next();
        const auto logits = [&](const Ids& ids) {
            Rng own(seed_of(ids, seed));
            return normal_row<float>(own, V, 2);
        };
        std::vector<float> row;
        const NextLogits model = [&](std::span<const int> ids) -> std::span<const float> {
            return row = logits({ids.begin(), ids.end()});
        };
        const LogDistribution distribution = [&](const Ids& ids) {
            Distribution p;
            for (const float x : logits(ids)) p.push_back(std::exp(double(x)));
            return logs_of(divided_by_sum(p));
        };
        const Ids prompt{int(rng.below(V))};
        const std::size_t B = 1 + rng.below(4);
        const int n = int(rng.below(4)), eos = int(rng.below(V));
        std::vector<Expected> expected;
        if (n == 0) expected = {{prompt, 1}};
        else
            for (const PlainBeam& beam : plain_beam_search(model, prompt, int(B), n, eos, 0))
                expected.push_back({beam.ids, std::exp(beam.sum)});
        INFO("V = " << V << ", B = " << B << ", n = " << n << ", eos = " << eos);
        const std::vector<Beam> got = beam_search(distribution, prompt, B, n, eos);
        std::string wanted, have;
        for (const Expected& e : expected) wanted += in_words(e.ids) + " ";
        for (const Beam& beam : got) have += in_words(beam.ids) + " ";
        CHECK(have == wanted);
        // The chapter's probabilities are whole multiples of 2^-44.
        for (std::size_t i = 0; i < got.size(); ++i)
            CHECK_NEAR(std::exp(got[i].sum), expected[i].p, 1e-9);
    }
}
