// Exercise 11_3: beams that must meet words, against the best of all texts.
#include "11_3_forced_words.hpp"
#include "tests/exercises/forced_words.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex11_3;

namespace {

using forced_words::holds_all, forced_words::search_by_definition, forced_words::shown,
    forced_words::Text, forced_words::Words;
using Distribution = std::vector<double>;
constexpr int no_eos = -1;

std::vector<Text> texts_of(const std::vector<Beam>& beams) {
    std::vector<Text> texts;
    for (const Beam& b : beams) texts.push_back({b.text, std::exp(b.sum)});
    return texts;
}

void finds(const LogDistribution& distribution, const Words& words, std::size_t B, int n, int eos,
           const std::vector<Text>& expected, const std::string& think) {
    std::string given = "words ";
    for (const Ids& word : words) given += in_words(word) + " ";
    INFO(given << " B = " << B << ", n = " << n << ", eos = " << eos);
    THINK(think);
    CHECK(shown(texts_of(search_with_words(distribution, words, B, n, eos))) == shown(expected));
}

// The statement's.
Distribution fits_behind_0(const Ids& text) {
    if (text.empty()) return logs_of({.7, .1, .2});
    return text.back() == 0 ? logs_of({.4, .5, .1}) : logs_of({.8, .1, .1});
}

Distribution flat(const Ids&) { return logs_of({.25, .25, .25, .25}); }

// Some distribution of V tokens for each text; now and then a token cannot come.
LogDistribution random_distribution(std::uint64_t seed, std::size_t V, bool with_zeros) {
    return [=](const Ids& text) {
        Rng rng(seed_of(text, seed));
        Distribution p;
        for (std::size_t v = 0; v < V; ++v)
            p.push_back(with_zeros && v > 0 && rng.below(6) == 0 ? 0 : 0.02 + rng.uniform());
        return logs_of(divided_by_sum(p));
    };
}

// Random words of tokens 1 and up; token 0 is the end.
Words random_words(Rng& rng, std::size_t V) {
    Words words(rng.below(3));
    for (Ids& word : words)
        for (std::size_t k = 1 + rng.below(2); k > 0; --k)
            word.push_back(1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(V - 1))));
    return words;
}

}  // namespace

TEST_CASE("what a text has met: the statement's and others", "[ex11_3]") {
    THINK("whole words count anywhere in the text, a beginning only at its end");
    const Words words{{1, 2}, {3}};
    const auto check = [&](const Words& w, const Ids& text, std::size_t expected) {
        INPUT(w, text);
        CHECK(met(text, w) == expected);
    };
    check(words, {0, 1, 2, 0}, 2);
    check(words, {3, 0, 1}, 2);
    check(words, {1, 0}, 0);
    check(words, {}, 0);
    check(words, {3, 1, 2}, 3);
    check({}, {1, 2}, 0);
    THINK("the tokens of a word are side by side");
    check(words, {1, 0, 2}, 0);
    check(words, {2, 1}, 1);
    THINK("a word counts once, however often it occurs there");
    check(words, {3, 3, 3}, 1);
    check(words, {1, 2, 1}, 2);
    THINK("of all words that are begun, the longest beginning alone counts");
    check({{1, 2, 3}, {2, 4}}, {1, 2}, 2);
    check({{1, 2}, {1, 3}}, {1}, 1);
    check({{1, 1, 2}}, {1, 1}, 2);
    check({{1, 1, 2}}, {1, 1, 1}, 2);
    THINK("words may overlap, and one may be part of another");
    check({{1, 2}, {2, 3}}, {1, 2, 3}, 4);
    check({{1}, {1, 2}}, {1}, 2);
    check({{1, 2, 3}}, {1, 2}, 2);
}

TEST_CASE("those that have met most come first, and all take turns", "[ex11_3]") {
    THINK("one of each count, from the top; then the second of each");
    const auto beam = [](int id, double sum, std::size_t met) { return Beam{{id}, sum, met}; };
    const std::vector<Beam> candidates{beam(0, -1, 0), beam(1, -2, 0), beam(2, -3, 2),
                                       beam(3, -4, 1), beam(4, -5, 2), beam(5, -6, 0)};
    const std::vector<int> order{2, 3, 0, 4, 1, 5};
    INFO("candidates, best first: tokens 0 to 5, which have met 0 0 2 1 2 0");
    for (std::size_t B = 1; B <= 7; ++B) {
        INFO("B = " << B);
        std::vector<int> got;
        for (const Beam& b : take_turns(candidates, B)) got.push_back(b.text.at(0));
        const std::vector<int> expected(order.begin(), order.begin() + std::min<int>(int(B), 6));
        CHECK(got == expected);
    }
    CHECK(take_turns({}, 3).size() == 0);
}

TEST_CASE("a step extends each beam by each token, and ends only what holds all words",
          "[ex11_3]") {
    THINK("eos only after a text that holds all words; a token with ln p = -inf makes no beam");
    const LogDistribution distribution = [](const Ids&) { return logs_of({.5, 0, .5}); };
    const auto check = [&](const std::vector<Beam>& live, const Words& words,
                           const std::vector<Text>& expected, const std::vector<int>& has_met) {
        INPUT(words);
        const std::vector<Beam> got = extended(live, distribution, words, 0);
        INFO("live " << shown(texts_of(live)) << "p = .5 0 .5 after all, eos = 0");
        CHECK(shown(texts_of(got)) == shown(expected));
        for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i].met == has_met[i]);
    };
    check({{{2}, std::log(.4), 1}, {{0}, std::log(.2), 0}}, {{2}},
          {{{2, 0}, .2}, {{2, 2}, .2}, {{0, 2}, .1}}, {1, 1, 1});
    INFO("two of three tokens are met, so no end");
    check({{{1, 2}, 0, 2}}, {{1, 2, 3}}, {{{1, 2, 2}, .5}}, {0});
}

TEST_CASE("one beam takes the word at once, two wait until it fits", "[ex11_3]") {
    finds(fits_behind_0, {{1}}, 1, 2, no_eos, {{{1, 0}, .08}}, "those that met most");
    finds(fits_behind_0, {{1}}, 2, 2, no_eos, {{{0, 1}, .35}},
          "live texts without the word are dropped at the end");
    finds(fits_behind_0, {{1}}, 9, 2, no_eos,
          {{{0, 1}, .35}, {{1, 0}, .08}, {{2, 1}, .02}, {{1, 1}, .01}, {{1, 2}, .01}},
          "all there are, the most probable first");
}

TEST_CASE("no words: plain beams; no tokens: nothing that holds a word", "[ex11_3]") {
    finds(fits_behind_0, {}, 2, 2, no_eos, {{{0, 1}, .35}, {{0, 0}, .28}}, "the 2 best of all");
    finds(fits_behind_0, {}, 2, 0, no_eos, {{{}, 1}}, "n = 0: the empty text");
    finds(fits_behind_0, {{1}}, 2, 0, no_eos, {}, "n = 0: the empty text holds no word");
    finds(fits_behind_0, {{1, 2, 1}}, 5, 2, no_eos, {}, "a word of three tokens, n = 2");
}

TEST_CASE("a text ends after its words, and not before", "[ex11_3]") {
    const LogDistribution distribution = [](const Ids&) { return logs_of({.25, .05, .7}); };
    finds(distribution, {{1}}, 1, 3, 2, {{{1, 2}, .035}}, "1, and then the end");
    finds(distribution, {{0, 1}}, 1, 3, 2, {{{0, 1, 2}, .25 * .05 * .7}},
          "half of the word is no word");
    finds(distribution, {{1}}, 2, 1, 2, {{{1}, .05}}, "after the last token live texts too");
}

TEST_CASE("of equal texts the earlier beam, and its lower id", "[ex11_3]") {
    THINK("sort in a way that leaves equal ones as they are");
    finds(flat, {{3}}, 3, 2, no_eos, {{{3, 0}, .0625}, {{3, 1}, .0625}}, "a stable sort");
    // {1} is taken before {0}, though {0} has .5; then {1 0} and {0 1} have .125 both.
    const LogDistribution half = [](const Ids&) { return logs_of({.5, .25, .25}); };
    finds(half, {{1}}, 2, 2, no_eos, {{{1, 0}, .125}},
          "live beams stay in the order in which they were taken");
    const LogDistribution wide = [](const Ids&) { return Distribution(40, std::log(1 / 40.)); };
    Ids got, expected(20);
    for (const Beam& beam : search_with_words(wide, {}, 20, 1, no_eos))
        got.push_back(beam.text.empty() ? -1 : beam.text.back());
    for (int i = 0; i < 20; ++i) expected[static_cast<std::size_t>(i)] = i;
    same(got, expected, "forty equal tokens, no words, B = 20", "a stable sort");
    // Token 0 ends a text, and may not come before the word.
    const LogDistribution middle = [](const Ids&) { return logs_of({.25, .5, .25}); };
    finds(middle, {{1}}, 9, 2, 0, {{{1, 1}, .25}, {{1, 0}, .125}, {{1, 2}, .125}, {{2, 1}, .125}},
          "of equal sums, first what ended");
}

TEST_CASE(
    "random distributions: with beams enough the first text is the best of all that hold the words",
    "[ex11_3]") {
    THINK("all texts were tried, those that hold every word were kept");
    Rng rng(113);
    for (std::uint64_t round = 0; round < 300; ++round) {
        const std::size_t V = 2 + rng.below(3);
        const int n = 1 + static_cast<int>(rng.below(4));
        const LogDistribution distribution = random_distribution(round, V, true);
        const Words words = random_words(rng, V);
        INPUT(words);
        INFO("V = " << V << ", n = " << n << ", eos = 0, B = 1000");
        // With so many beams the search by definition goes through all texts.
        const std::vector<Text> all = search_by_definition(distribution, words, 1000, n, 0);
        const std::vector<Beam> got = search_with_words(distribution, words, 1000, n, 0);
        REQUIRE(got.empty() == all.empty());
        if (!got.empty()) CHECK(shown(texts_of({got[0]})) == shown({all[0]}));
    }
}

TEST_CASE("even one beam finds the words, in as many tokens as they have", "[ex11_3]") {
    THINK("of a text that has not met all there is always a token that meets one more");
    Rng rng(7);
    for (std::uint64_t round = 0; round < 200; ++round) {
        const std::size_t V = 2 + rng.below(3);
        const LogDistribution distribution = random_distribution(round, V, false);
        const Words words = random_words(rng, V);
        const int n = static_cast<int>(all_of(words) + rng.below(2));
        INPUT(words);
        INFO("V = " << V << ", n = " << n << ", eos = 0, B = 1");
        const std::vector<Beam> got = search_with_words(distribution, words, 1, n, 0);
        REQUIRE(got.size() == 1);
        EXPECT(holds_all(got[0].text, words), "a text that holds the words", got[0].text);
    }
}

TEST_CASE("random distributions, few beams: text by text what the statement says", "[ex11_3]") {
    THINK("the statement, sentence by sentence");
    Rng rng(311);
    for (std::uint64_t round = 0; round < 400; ++round) {
        const std::size_t V = 2 + rng.below(4), B = 1 + rng.below(5);
        const int n = static_cast<int>(rng.below(6));
        const LogDistribution distribution = random_distribution(round + 1000, V, round % 2 == 0);
        const Words words = random_words(rng, V);
        INPUT(words);
        INFO("V = " << V << ", n = " << n << ", eos = 0, B = " << B);
        CHECK(shown(texts_of(search_with_words(distribution, words, B, n, 0))) ==
              shown(search_by_definition(distribution, words, B, n, 0)));
    }
}
