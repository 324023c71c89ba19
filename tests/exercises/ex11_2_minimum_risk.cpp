// Exercise 11_2: common tokens, and the text with the greatest expected utility.
#include "11_2_minimum_risk.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex11_2;

namespace {

const Checker check_f1("token_f1(a, b)", ex11_2::token_f1, 1e-15);

double same(const Ids& a, const Ids& b) { return a == b ? 1 : 0; }

}  // namespace

TEST_CASE("two of three tokens in common give two thirds", "[ex11_2]") {
    THINK("2 · common / (|a| + |b|)");
    check_f1({1, 2, 3}, {3, 1, 4}, 2. / 3);
    check_f1({1, 2, 3}, {1, 2, 3}, 1);
    check_f1({1, 2, 3}, {4, 5}, 0);
    check_f1({1, 2}, {1, 2, 3, 4, 5, 6}, .5);
}

TEST_CASE("a token is shared as often as the text that has fewer of it says it", "[ex11_2]") {
    INFO("think about: a loop would otherwise be like everything");
    check_f1({7, 7, 7, 7}, {7, 8}, 2. * 1 / 6);
    check_f1({7, 8}, {7, 7, 7, 7}, 2. * 1 / 6);
    check_f1({7, 7, 9}, {7, 7, 7}, 2. * 2 / 6);
}

TEST_CASE("two empty texts are alike, an empty one and another are not", "[ex11_2]") {
    INFO("think about: 0 / 0");
    check_f1({}, {}, 1);
    check_f1({}, {1}, 0);
    check_f1({1, 2}, {}, 0);
}

TEST_CASE("F1 is the same both ways, and the same as counting pairs by hand", "[ex11_2]") {
    THINK("of each token the smaller of both counts");
    Rng rng(2);
    for (int round = 0; round < 300; ++round) {
        const Ids a = random_ids(rng, rng.below(8), 5);
        Ids b = random_ids(rng, 1 + rng.below(6), 5);
        for (int& id : b) ++id;
        double common = 0;
        for (int id = 0; id < 7; ++id)
            common += static_cast<double>(
                std::min(std::count(a.begin(), a.end(), id), std::count(b.begin(), b.end(), id)));
        check_f1(a, b, 2 * common / static_cast<double>(a.size() + b.size()));
        check_f1(b, a, 2 * common / static_cast<double>(a.size() + b.size()));
    }
}

TEST_CASE("the text in the middle is kept, though it was not drawn most often", "[ex11_2]") {
    THINK("for each candidate the sum over all texts, itself included");
    // [9 9], drawn twice, is like nothing else; [1 2 3] is like both [1 2 4] and [1 3 5].
    const std::vector<Ids> texts = {{9, 9}, {1, 2, 4}, {1, 2, 3}, {1, 3, 5}, {9, 9}};
    INPUT(texts);
    INFO("sums: 2, 2, 2.333, 2, 2");
    CHECK(minimum_risk(texts, token_f1) == 2);
}

TEST_CASE("if only the same text is of use, the most frequent one is kept", "[ex11_2]") {
    CHECK(minimum_risk({{1}, {2}, {3}, {2}, {1}, {2}}, same) == 1);
    INFO("think about: of equal sums the lower index");
    CHECK(minimum_risk({{3}, {1}, {2}}, same) == 0);
    CHECK(minimum_risk({{3}, {1}, {2}, {2}, {1}}, same) == 1);
}

TEST_CASE("one text is kept whatever it is worth", "[ex11_2]") {
    THINK("a start at 0 would hide what is below 0");
    CHECK(minimum_risk({{}}, token_f1) == 0);
    CHECK(minimum_risk({{5}, {6}},
                       [](const Ids& a, const Ids&) { return a[0] == 6 ? -3. : -4.; }) == 1);
}

TEST_CASE("the candidate is the first argument, what may have been meant the second", "[ex11_2]") {
    THINK("utility(candidate, other): the order matters");
    // Precision: how much of the candidate is right. A short safe text wins;
    // the other way round the long one would.
    const auto precision = [](const Ids& candidate, const Ids& truth) {
        double right = 0;
        for (const int id : candidate) right += std::count(truth.begin(), truth.end(), id) > 0;
        return right / static_cast<double>(candidate.size());
    };
    CHECK(minimum_risk({{1, 2, 3, 4}, {1}, {1, 5}}, precision) == 1);
}

TEST_CASE("no other text has a greater sum, none with as great a one comes earlier", "[ex11_2]") {
    THINK("the sum over all texts; a later one has to be greater");
    Rng rng(6);
    for (int round = 0; round < 200; ++round) {
        std::vector<Ids> texts(1 + rng.below(6));
        for (Ids& t : texts) t = random_ids(rng, 2, 4);
        // Whole numbers: sums are exact. Not the same both ways, and below zero at times.
        const Utility utility = [](const Ids& c, const Ids& t) {
            return static_cast<double>((3 * c[0] + 5 * t[1] + c[1] * t[0]) % 7 - 5);
        };
        const std::size_t got = minimum_risk(texts, utility);
        REQUIRE(got < texts.size());
        const auto sum = [&](std::size_t i) {
            double s = 0;
            for (const Ids& t : texts) s += utility(texts[i], t);
            return s;
        };
        for (std::size_t i = 0; i < texts.size(); ++i) {
            INPUT(texts);
            INFO("index " << got << " has " << sum(got) << ", index " << i << " has " << sum(i));
            EXPECT(i < got ? sum(i) < sum(got) : sum(i) <= sum(got),
                   "the greatest sum, of several the first", got);
        }
    }
}

TEST_CASE("a billionth decides", "[ex11_2]") {
    // The candidate's own number is its utility, whatever the truth.
    const std::vector<double> worth{1, 1 + 1e-9, 1 + 5e-10};
    const Utility utility = [&](const Ids& candidate, const Ids&) {
        return worth[static_cast<std::size_t>(candidate[0])];
    };
    INFO("think about: floats know seven digits");
    CHECK(minimum_risk({{0}, {1}, {2}}, utility) == 1);
    CHECK(minimum_risk({{2}, {0}, {1}}, utility) == 2);
}
