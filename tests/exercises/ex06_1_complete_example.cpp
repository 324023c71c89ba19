// Exercise 06_1: the complete example.
#include "06_1_complete_example.hpp"
#include "chapters/06_combining/chain.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex06_1;

namespace {

const std::vector<float> words = {10, 8, 5, 2, 1, .5f};  // cat dog car house tree book

// The values are printed with six places.
void check_numbers(const std::vector<double>& got, const std::vector<double>& expected) {
    CHECK_NEAR(got, expected, 1e-6);
}

}  // namespace

TEST_CASE("cat dog car house tree book, step by step", "[ex06_1]") {
    THINK("each field is one step of the task, in its order");
    INPUT(words);
    INFO("complete_example(words, 1, 3, .9, .75)");
    const Example e = complete_example(words, 1, 3, .9, .75);
    CHECK(e.kept == std::vector<int>{0, 1, 2});
    check_numbers(e.exponentials, {22026.465795, 2980.957987, 148.413159});
    CHECK_NEAR(e.sum, 25155.836941, 2e-6);
    check_numbers(e.after_top_k, {.875601, .118500, .005900});
    check_numbers(e.cumulative, {.875601, .994100, 1});
    CHECK(e.nucleus == 2);
    check_numbers(e.final_distribution, {.880797, .119203});
    CHECK(e.id == 0);
}

TEST_CASE("the pointer decides between cat and dog at .880797", "[ex06_1]") {
    THINK("the first word whose sum is greater than u");
    INPUT(words);
    CHECK(complete_example(words, 1, 3, .9, .8807).id == 0);
    CHECK(complete_example(words, 1, 3, .9, .8809).id == 1);
    CHECK(complete_example(words, 1, 3, .9, 0).id == 0);
    CHECK(complete_example(words, 1, 3, .9, std::nextafter(1, 0)).id == 1);
}

TEST_CASE("temperature comes before the cuts", "[ex06_1]") {
    INFO("think about: a hot wheel needs more words to reach p");
    INPUT(words);
    INFO("T = .5, 1.5 and 2, k = 3, p = .9, u = 0");
    check_numbers(complete_example(words, .5, 3, .9, 0).final_distribution, {1});
    check_numbers(complete_example(words, 1.5, 3, .9, 0).final_distribution, {.791391, .208609});
    check_numbers(complete_example(words, 2, 3, .9, 0).final_distribution, {.731059, .268941});
}

TEST_CASE("the words lie on the wheel in the order of their ids", "[ex06_1]") {
    THINK("in the order of ids, not of probabilities");
    const std::vector<float> s = {0, 1};  // .268941 .731059: the first notches belong to id 0
    INPUT(s);
    CHECK(complete_example(s, 1, 2, 1, .2).id == 0);
    CHECK(complete_example(s, 1, 2, 1, .3).id == 1);
    INFO("think about: at u = .5 the first half is used up");
    CHECK(complete_example(std::vector<float>{0, 0}, 1, 2, 1, .5).id == 1);
}

TEST_CASE("of equal logits the lower ids stay; one token always does", "[ex06_1]") {
    THINK("greater logit first, of equal ones the lower id; then never none");
    CHECK(complete_example(std::vector<float>{1, 1, 1, 1}, 1, 2, 1, .9).kept ==
          std::vector<int>{0, 1});
    CHECK(complete_example(std::vector<float>{1, 1, 1, 1}, 1, 4, .5, 0).nucleus == 2);
    CHECK(complete_example(words, 1, 6, 0, .99).nucleus == 1);
    CHECK(complete_example(words, 1, 99, 1, .5).kept.size() == 6);
    CHECK(complete_example(std::vector<float>{-3}, 1, 1, .5, .5).id == 0);
}

TEST_CASE("what makes no sense is refused", "[ex06_1]") {
    THINK("every number has its range; NaN is in none");
    for (const double T : {0., -1., std::nan("")}) {
        INPUT(T);
        CHECK_THROWS_AS(complete_example(words, T, 3, .9, .5), UsageError);
    }
    CHECK_THROWS_AS(complete_example(words, 1, 0, .9, .5), UsageError);
    CHECK_THROWS_AS(complete_example(words, 1, 3, 1.1, .5), UsageError);
    CHECK_THROWS_AS(complete_example(words, 1, 3, -.1, .5), UsageError);
    CHECK_THROWS_AS(complete_example(words, 1, 3, .9, 1), UsageError);
    CHECK_THROWS_AS(complete_example(words, 1, 3, .9, -.1), UsageError);
}

TEST_CASE("the same token as this chapter's chain, for any row", "[ex06_1]") {
    THINK("temperature, then k, then p on what k left, then the wheel in the order of ids");
    Rng rng(61);
    Candidates scratch;
    for (int round = 0; round < 500; ++round) {
        const std::vector<float> s = normal_row<float>(rng, 2 + rng.below(20), 2);
        SamplingOptions o;
        o.temperature = .3 + 2 * rng.uniform(), o.top_k = 1 + static_cast<int>(rng.below(10)),
        o.top_p = rng.uniform();
        const double u = rng.uniform();
        const int expected =
            in_order(Dialect::ours, truncation_steps(o, Dialect::ours)).pick(s, {}, u, scratch);
        INPUT(s, o.temperature, o.top_k, o.top_p, u);
        REQUIRE(complete_example(s, o.temperature, o.top_k, o.top_p, u).id == expected);
    }
}

TEST_CASE("a hundred thousand draws give the cat 88,080 times, give or take 410", "[ex06_1]") {
    THINK(".880797 of 100,000");
    Rng rng(4);
    int cats = 0;
    for (int i = 0; i < 100000; ++i)
        cats += complete_example(words, 1, 3, .9, rng.uniform()).id == 0;
    INFO("complete_example(words, 1, 3, .9, u) for 100,000 u");
    CHECK_NEAR(cats, 88080, 410);  // four standard deviations of 102.5
}

TEST_CASE("forty equal logits in the complete example: an unstable sort shuffles them",
          "[ex06_1]") {
    const std::vector<float> flat(40);  // e^0 is exactly 1
    INFO("forty logits of 0, T = 1, k = 32, p = .5, u = .99");
    const Example e = complete_example(flat, 1, 32, .5, .99);
    std::vector<int> expected(32);
    std::iota(expected.begin(), expected.end(), 0);
    INFO("think about: of equal logits the lower ids first, however many there are");
    CHECK(e.kept == expected);
    CHECK(e.nucleus == 16);
    CHECK(e.id == 15);
}

TEST_CASE("any row with ties: every number", "[ex06_1]") {
    Rng rng(610);
    for (int round = 0; round < 1500; ++round) {
        std::vector<float> s(1 + static_cast<std::size_t>(round) / 50);
        for (float& x : s) x = static_cast<float>(rng.below(7)) - 3;
        const double T = .25 + rng.uniform(), u = rng.uniform(), p = rng.uniform();
        const int k = 1 + static_cast<int>(rng.below(s.size() + 1));
        std::vector<int> ids(s.size());
        std::iota(ids.begin(), ids.end(), 0);
        const auto logit = [&](int id) { return s[static_cast<std::size_t>(id)]; };
        std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) { return logit(a) > logit(b); });
        ids.resize(std::min(ids.size(), static_cast<std::size_t>(k)));
        std::vector<double> e, a, c, f;
        double sum = 0, passed = 0;
        for (const int id : ids) sum += e.emplace_back(std::exp(double(logit(id)) / T));
        for (const double x : e) a.push_back(x / sum), c.push_back(passed += x / sum);
        std::size_t n = 1;
        bool close = false;  // rounding may decide
        while (n < c.size() && c[n - 1] < p) ++n;
        for (const double x : c) close = close || std::abs(x - p) < 1e-12;
        if (close) continue;
        for (std::size_t i = 0; i < n; ++i) f.push_back(a[i] / c[n - 1]);
        std::vector<double> by_id(s.size());
        for (std::size_t i = 0; i < n; ++i) by_id[static_cast<std::size_t>(ids[i])] = f[i];
        int id = -1;
        passed = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            close = close || std::abs(passed + by_id[i] - u) < 1e-12;
            if (id < 0 && (passed += by_id[i]) > u) id = static_cast<int>(i);
        }
        if (close || id < 0) continue;
        const std::string given = "logits " + in_words(s) + ", T = " + in_words(T) +
                                  ", k = " + std::to_string(k) + ", p = " + in_words(p) +
                                  ", u = " + in_words(u);
        const Example got = complete_example(s, T, k, p, u);
        same(got.kept, ids, given, "1. the k largest");
        same(got.exponentials, e, given, "1. e^(s/T)", 1e-12 * sum);
        same(std::vector<double>{got.sum}, std::vector<double>{sum}, given, "Σ e", 1e-12 * sum);
        same(got.after_top_k, a, given, "2. after top-k", 1e-12);
        same(got.cumulative, c, given, "3. cumulative", 1e-12);
        same(std::vector<std::size_t>{got.nucleus}, std::vector<std::size_t>{n}, given, "3. n");
        same(got.final_distribution, f, given, "4. the distribution that is drawn from", 1e-12);
        same(std::vector<int>{got.id}, std::vector<int>{id}, given, "5. the token");
    }
}
