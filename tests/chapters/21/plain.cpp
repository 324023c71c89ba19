// Trees of guesses and their judges in plain code: masks by hand, distributions by enumeration.
#include "tests/catch.hpp"

#include "chapters/12_speculative/drafts.hpp"
#include "chapters/21_medusa/plain_medusa.hpp"
#include "lib/core/rng.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;

namespace {

constexpr std::size_t V = 3;
constexpr double rounding = 1e-12;  // sums of some hundred products of doubles

// Some distribution after each text.
DistributionAfter random_distribution(std::uint64_t seed) {
    return [seed](const std::vector<int>& text) {
        std::uint64_t key = seed;
        for (const int id : text) key = key * 31 + static_cast<std::uint64_t>(id) + 1;
        Rng rng(key);
        Distribution p;
        for (std::size_t v = 0; v < V; ++v) p.push_back(0.02 + rng.uniform());
        return normalised(p);
    };
}

using TextDistribution = std::map<std::vector<int>, double>;

// Texts of n tokens by rounds: each round may add several, of which those beyond n are cut off.
// round(text, chance) → the text with what it adds.
template <class RoundOf>
TextDistribution distribution_of(const RoundOf& round, std::size_t n) {
    TextDistribution distribution;
    AllOutcomes chance;
    do {
        std::vector<int> text;
        while (text.size() < n) text = round(text, chance);
        text.resize(n);
        distribution[text] += chance.probability();
    } while (chance.next());
    return distribution;
}

TextDistribution target_distribution(const DistributionAfter& target, std::size_t n) {
    return distribution_of(
        [&](std::vector<int> text, AllOutcomes& chance) {
            text.push_back(chance.draw(target(text)));
            return text;
        },
        n);
}

double distance(const TextDistribution& a, TextDistribution b) {
    double sum = 0;
    for (const auto& [text, p] : a) sum += std::abs(p - b[text]), b.erase(text);
    for (const auto& [text, p] : b) sum += p;
    return sum;
}

// The m most probable tokens after the text, and after each of those, d deep.
GuessTree certain_tree(const DistributionAfter& draft, const std::vector<int>& text, int m, int d) {
    GuessTree tree;
    std::vector<std::vector<int>> texts;
    const auto grow = [&](const std::vector<int> from, int parent) {
        const Distribution q = draft(from);
        std::vector<int> ids = {0, 1, 2};
        std::stable_sort(ids.begin(), ids.end(),
                         [&](int a, int b) { return q[index(a)] > q[index(b)]; });
        for (int i = 0; i < m; ++i) {
            tree.tokens.push_back(ids[index(i)]), tree.parents.push_back(parent);
            texts.push_back(from), texts.back().push_back(ids[index(i)]);
        }
    };
    grow(text, -1);
    for (std::size_t i = 0; i < tree.tokens.size(); ++i)
        if (to_int(texts[i].size() - text.size()) < d) grow(texts[i], to_int(i));
    return tree;
}

// The same with tokens drawn from q, no token twice after one place.
GuessTree drawn_tree(const DistributionAfter& draft, const std::vector<int>& text, int m, int d,
                     AllOutcomes& chance) {
    GuessTree tree;
    std::vector<std::vector<int>> texts;
    const auto grow = [&](const std::vector<int> from, int parent) {
        Distribution q = draft(from);
        for (int i = 0; i < m; ++i) {
            const int id = chance.draw(q);
            q[index(id)] = 0;
            tree.tokens.push_back(id), tree.parents.push_back(parent);
            texts.push_back(from), texts.back().push_back(id);
        }
    };
    grow(text, -1);
    for (std::size_t i = 0; i < tree.tokens.size(); ++i)
        if (to_int(texts[i].size() - text.size()) < d) grow(texts[i], to_int(i));
    return tree;
}

}  // namespace

TEST_CASE("a tree that is followed has the target's distribution, whatever it guesses") {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const DistributionAfter target = random_distribution(seed),
                                draft = random_distribution(seed + 50);
        for (const auto& [m, d] : {std::pair(1, 1), {2, 2}, {3, 1}, {3, 2}}) {
            const TextDistribution distribution = distribution_of(
                [&, m = m, d = d](const std::vector<int>& text, AllOutcomes& chance) {
                    return follow_tree(target, text, certain_tree(draft, text, m, d), chance);
                },
                3);
            CHECK(distance(distribution, target_distribution(target, 3)) <= rounding);
        }
    }
}

TEST_CASE("followed with the same random numbers, the text is plain decoding's") {
    // Luck that belongs to the place.
    struct Placed {
        std::vector<double> u;
        std::size_t at = 0;
        int draw(const Distribution& p) { return plain_draw(p, u.at(at++)); }
    };
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const DistributionAfter target = random_distribution(seed),
                                draft = random_distribution(seed / 2);
        Rng rng(seed);
        Placed random;
        for (int i = 0; i < 12; ++i) random.u.push_back(rng.uniform());
        std::vector<int> plain, text;
        for (int i = 0; i < 8; ++i) plain.push_back(plain_draw(target(plain), random.u[index(i)]));
        while (text.size() < 8)
            text = follow_tree(target, text, certain_tree(draft, text, 2, 2), random);
        REQUIRE(random.at == text.size());
        text.resize(8);
        REQUIRE(text == plain);
    }
}

TEST_CASE("drawn children, judged one after the other, leave the target's distribution") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const DistributionAfter target = random_distribution(seed),
                                draft = random_distribution(seed + 9);
        for (const auto& [m, d] : {std::pair(1, 1), {2, 1}, {3, 1}, {1, 2}, {2, 2}}) {
            const TextDistribution distribution = distribution_of(
                [&, m = m, d = d](const std::vector<int>& text, AllOutcomes& chance) {
                    const GuessTree tree = drawn_tree(draft, text, m, d, chance);
                    return judge_tree(target, draft, text, tree, chance);
                },
                2);
            INFO(m << " children, " << d << " deep");
            CHECK(distance(distribution, target_distribution(target, 2)) <= rounding);
        }
    }
}

TEST_CASE("a single drawn child is chapter 12's rule") {
    const DistributionAfter target = random_distribution(3), draft = random_distribution(4);
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Rng rng(seed);
        std::vector<double> u;
        for (int i = 0; i < 5; ++i) u.push_back(rng.uniform());
        const std::vector<int> expected = plain_round(target, draft, {0}, 2, u);
        GuessTree chain;
        std::vector<int> guessed = {0};
        struct Luck {
            std::vector<double> u;
            std::size_t at = 0;
            bool accept(double p) { return u.at(at++) < p; }
            int draw(const Distribution& p) { return plain_draw(p, u.at(at++)); }
        } random{u};
        for (int i = 0; i < 2; ++i) {
            guessed.push_back(random.draw(draft(guessed)));
            chain.tokens.push_back(guessed.back()), chain.parents.push_back(i - 1);
        }
        REQUIRE(judge_tree(target, draft, {0}, chain, random) == expected);
    }
}

TEST_CASE("more children are accepted more often") {
    const DistributionAfter target = random_distribution(5), draft = random_distribution(6);
    double accepted[4] = {};
    for (int m = 1; m <= 3; ++m) {
        AllOutcomes chance;
        do {
            const GuessTree tree = drawn_tree(draft, {}, m, 1, chance);
            if (judge_tree(target, draft, {}, tree, chance).size() == 2)
                accepted[m] += chance.probability();
        } while (chance.next());
    }
    const Distribution p = target({}), q = draft({});
    double overlap = 0;
    for (std::size_t v = 0; v < V; ++v) overlap += std::min(p[v], q[v]);
    CHECK(std::abs(accepted[1] - overlap) <= rounding);
    CHECK(accepted[2] > accepted[1] + 0.01);
    CHECK(std::abs(accepted[3] - 1) <= rounding);  // all tokens there are
}

TEST_CASE("typical acceptance has a different distribution") {
    // By hand: p = (.5, .3, .2), the guess is always C. H = 1.0297, δ·e^−H = .107: C is typical,
    // and stays each time. C then has probability 1 instead of .2.
    const DistributionAfter target = [](const std::vector<int>&) {
        return Distribution{.5, .3, .2};
    };
    const GuessTree guess{{2}, {-1}};
    const auto typical = [&](const std::vector<int>& text, AllOutcomes& chance) {
        return typical_tree(target, text, guess, .3, .3, chance);
    };
    const TextDistribution distribution = distribution_of(typical, 1);
    REQUIRE(distribution.size() == 1);
    CHECK(std::abs(distribution.at({2}) - 1) <= rounding);
    // With a threshold that C does not reach it is drawn like all others.
    const TextDistribution strict = distribution_of(
        [&](const std::vector<int>& text, AllOutcomes& chance) {
            return typical_tree(target, text, guess, .3, .9, chance);
        },
        1);
    CHECK(distance(strict, target_distribution(target, 1)) <= rounding);
    // And for a draft that is the target itself it is a different distribution, too.
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const DistributionAfter own = random_distribution(seed);
        const TextDistribution greedy = distribution_of(
            [&](const std::vector<int>& text, AllOutcomes& chance) {
                return typical_tree(own, text, certain_tree(own, text, 2, 2), .09, .3, chance);
            },
            3);
        CHECK(distance(greedy, target_distribution(own, 3)) > 0.05);
    }
}

TEST_CASE("typical acceptance takes the longest branch") {
    const DistributionAfter target = [](const std::vector<int>& text) {
        return text.empty()   ? Distribution{.6, .3, .1}
               : text[0] == 1 ? Distribution{.1, .1, .8}
                              : Distribution{0, .9, .1};
    };
    // 0 then 0 (impossible), 1 then 2: the second branch is longer.
    const GuessTree tree{{0, 1, 0, 2}, {-1, -1, 0, 1}};
    AllOutcomes chance;
    do {
        const std::vector<int> text = typical_tree(target, {}, tree, .09, .3, chance);
        REQUIRE(text.size() == 3);
        CHECK((text[0] == 1 && text[1] == 2));
    } while (chance.next());
}

TEST_CASE("a guess has the children that come after it, and none beyond the last") {
    GuessTree tree{{5, 6, 5}, {-1, 0, 0}};
    CHECK(tree.child(-1, 5) == 0);
    CHECK(tree.child(0, 6) == 1);
    CHECK(tree.child(0, 5) == 2);
    CHECK(tree.child(-1, 6) == -1);
    CHECK(tree.child(2, 5) == -1);
    // One that was taken back: its numbers are still in memory after the last.
    tree.tokens.push_back(9), tree.parents.push_back(1);
    CHECK(tree.child(1, 9) == 3);
    tree.tokens.pop_back(), tree.parents.pop_back();
    CHECK(tree.child(1, 9) == -1);
}
