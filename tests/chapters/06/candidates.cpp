// The candidates of a chain: what a list of them, a temperature beside them and edits leave.
#include "lib/select/integer_weights.hpp"
#include "tests/catch.hpp"

#include "chapters/06_combining/steps.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/logits.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("the token whose logit is no number is named, the first and the last too") {
    for (const std::size_t at : {0u, 3u, 7u}) {
        std::vector<float> row = eight;
        row[at] = std::numeric_limits<float>::quiet_NaN();
        Candidates c(row);
        REQUIRE_THROWS_WITH(
            c.largest(), Catch::Contains("the logit of token " + std::to_string(at) + " is NaN"));
    }
}

TEST_CASE("temperatures multiply, and neither a tiny nor a huge one breaks the distribution") {
    Candidates c(eight);
    apply_temperature(c, 0.5);
    apply_temperature(c, 3);
    require_close(c.probabilities(), softmax_at(eight, 1.5), 0);
    REQUIRE(softmax_at(eight, 1e-300)[0] == 1.0);
    for (const double p : softmax_at(eight, 1e300)) REQUIRE(p == 0.125);
}

TEST_CASE("entropy and log-probability are right at their limits") {
    const std::vector<float> flat(1000, -2.5f), one{0, -inf, -inf}, far{0, -80};
    Candidates f(flat), o(one), d(far);
    REQUIRE(std::abs(f.entropy() - std::log(1000.0)) <= 1e-12);
    REQUIRE(o.entropy() == 0.0);
    // Where the weight is 0 the log-probability still comes from the logit.
    REQUIRE(d.weights()[1] == 0);
    REQUIRE(d.log_probability(1) == -80.0);
    REQUIRE(o.log_probability(1) == -static_cast<double>(inf));
}

TEST_CASE(
    "the same u gives the same token whether the kept ones stand in a list or in the whole row") {
    Rng rng(5);
    std::vector<float> s(3000), kept(3000, -inf);
    for (float& x : s) x = static_cast<float>(rng.normal());
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] >= 1.0f) kept[i] = s[i];
    }
    Candidates list(s), row(kept);
    list.keep({1.0f});
    REQUIRE(list.size() == row.count());
    for (int i = 0; i < 500; ++i) {
        const double u = rng.uniform();
        REQUIRE(draw(list, u) == draw(row, u));
    }
}

TEST_CASE("an edit after a temperature changes s/T, and the row it came from stays as it was") {
    const std::vector<float> s{2, 1, 0};
    Candidates c(s);
    apply_temperature(c, 0.5);
    *c.find(0) -= 2.0f;  // 4 − 2
    require_close(c.probabilities(), softmax_at(std::vector<float>{2, 2, 0}, 1), 0);
    REQUIRE(s[0] == 2.0f);
    c.keep({1.0f});
    REQUIRE(c.find(2) == nullptr);
    *c.find(1) = 0.0f;
    require_close(c.probabilities(), {1 / (1 + std::exp(-2.0)), 1 - 1 / (1 + std::exp(-2.0)), 0},
                  1e-12);
}
TEST_CASE("temperature does not change the top-k set") {
    Rng rng(6);
    std::vector<float> s(500);
    for (float& x : s) x = static_cast<float>(rng.normal());
    Candidates twelve(s);
    keep_top_k(twelve, 12);
    for (const double T : {0.1, 0.9, 5.0}) {
        Candidates c(s);
        c.multiply_temperature(T);
        keep_top_k(c, 12);
        for (std::size_t i = 0; i < 12; ++i) REQUIRE(c.id(i) == twelve.id(i));
    }
}

TEST_CASE("a cut after weights were computed leaves the same distribution as one before") {
    Candidates before(eight), after(eight);
    after.total_weight();
    keep_top_k(before, 3);
    keep_top_k(after, 3);
    REQUIRE(before.total_weight() == after.total_weight());
    REQUIRE(before.probabilities() == after.probabilities());
}

TEST_CASE("the weights of blocks add up to the whole, asked for in any order") {
    Rng rng(8);
    std::vector<float> s(5 * weight_block + 7);
    for (float& x : s) x = static_cast<float>(rng.normal());
    Candidates blocks_first(s), total_first(s);
    std::uint64_t sum = 0;
    REQUIRE(blocks_first.block_weights().size() == 6);
    for (const std::uint64_t w : blocks_first.block_weights()) sum += w;
    REQUIRE(sum == total_first.total_weight());
    keep_top_k(blocks_first, 3);
    REQUIRE(blocks_first.block_weights().size() == 1);
    REQUIRE(blocks_first.block_weights()[0] == blocks_first.total_weight());
}

TEST_CASE("after a cut that removed the most probable token, the rest is a distribution again") {
    std::vector<double> p(51, .55 / 50);
    p[0] = .45;
    const std::vector<float> s = logs(p);
    Candidates c(s);
    keep_typical(c, .3);
    REQUIRE(c.weights()[0] == weight_of_largest);
    REQUIRE(c.total_weight() == c.size() * weight_of_largest);
}

TEST_CASE(
    "a cut that must keep at least n keeps n where it would keep fewer, the first of equals") {
    for (std::size_t least = 0; least <= 9; ++least)
        for (int k = 1; k <= 8; ++k) {
            CAPTURE(least, k);
            Candidates c(eight);
            c.keep_at_least(least);
            keep_top_k(c, k);
            const std::size_t expected = std::min(std::max(least, index(k)), eight.size());
            REQUIRE(c.size() == expected);
            for (std::size_t i = 0; i < expected; ++i) REQUIRE(c.id(i) == static_cast<int>(i));
        }
    // top-k raises k by itself; other cuts are widened. This one would keep the first alone.
    for (std::size_t least = 0; least <= 9; ++least) {
        CAPTURE(least);
        Candidates c(eight);
        c.keep_at_least(least);
        keep_top_p(c, 0.01);
        REQUIRE(c.size() == std::min(std::max<std::size_t>(least, 1), eight.size()));
        for (std::size_t i = 0; i < c.size(); ++i) REQUIRE(c.id(i) == static_cast<int>(i));
    }
    const std::vector<float> tied{1, 3, 1, 1, 0};
    Candidates c(tied);
    c.keep_at_least(2);
    keep_top_k(c, 1);
    REQUIRE(c.size() == 2);
    REQUIRE(c.id(0) == 0);
    REQUIRE(c.id(1) == 1);
}
