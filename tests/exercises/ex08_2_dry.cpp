// Exercise 08_2: DRY.
#include "08_2_dry.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex08_2;

namespace {

using Ids = std::vector<int>;
using Row = std::vector<float>;

Row penalised(Row s, const Ids& ids, double multiplier, double base, int allowed,
              const Ids& breakers = {}) {
    dry(s, ids, multiplier, base, allowed, breakers);
    return s;
}

void check_distribution(std::size_t V, const Ids& ids, double multiplier, int allowed,
                        const Ids& breakers, const std::vector<double>& expected) {
    const std::vector<double> distribution =
        softmax_at(penalised(Row(V, 0.0f), ids, multiplier, 1.1, allowed, breakers), 1);
    INPUT(ids, multiplier, allowed, breakers);
    CHECK_NEAR(distribution, expected, 1e-6);  // printed with six places
}

}  // namespace

TEST_CASE("0 1 2 0 1: to say 2 again would continue a passage of two", "[ex08_2]") {
    THINK("which token followed when the end of the text occurred before?");
    CHECK(penalised({5, 5, 5, 5}, {0, 1, 2, 0, 1}, 1, 1.1, 2) == Row{5, 5, 4, 5});
}

TEST_CASE("the published cases of llama.cpp's test-sampling (DRY)", "[ex08_2]") {
    THINK("multiplier · base^(length − allowed), from the allowed length on");
    check_distribution(4, {0, 1}, 1, 2, {}, {.25, .25, .25, .25});
    check_distribution(4, {0, 1, 2, 0, 1}, 1, 2, {}, {.296923, .296923, .109232, .296923});
    check_distribution(5, {0, 1, 3, 4, 0, 1}, 1, 2, {3}, {.2, .2, .2, .2, .2});
    check_distribution(5, {0, 1, 2, 0, 1}, 2, 2, {}, {.241818, .241818, .032727, .241818, .241818});
    check_distribution(5, {0, 1, 2, 3, 4, 0, 1}, 1, 4, {}, {.2, .2, .2, .2, .2});
}

TEST_CASE("each further token of a passage costs base times more", "[ex08_2]") {
    INFO("think about: with base 2 a passage of 1, 2, 3 tokens costs 1, 2, 4");
    CHECK(penalised(Row(5, 0), {3, 4, 1, 4}, 1, 2, 1)[1] == -1);
    CHECK(penalised(Row(5, 0), {2, 3, 4, 1, 3, 4}, 1, 2, 1)[1] == -2);
    CHECK(penalised(Row(5, 0), {2, 3, 4, 1, 2, 3, 4}, 1, 2, 1)[1] == -4);
    CHECK(penalised(Row(5, 0), {2, 3, 4, 1, 2, 3, 4}, 1, 2, 3)[1] == -1);
    CHECK(penalised(Row(5, 0), {2, 3, 4, 1, 2, 3, 4}, 1, 2, 4)[1] == 0);
}

TEST_CASE("the longest match counts, once, wherever it is", "[ex08_2]") {
    THINK("for each token the longest, not the sum of all");
    // 1 follows 4 and follows 3 4.
    CHECK(penalised(Row(5, 0), {3, 4, 1, 2, 4, 1, 3, 4}, 1, 2, 1)[1] == -2);
    CHECK(penalised(Row(5, 0), {2, 4, 1, 2, 3, 4, 1, 0, 3, 4}, 1, 2, 1)[1] == -2);
}

TEST_CASE("a token over and over overlaps with itself", "[ex08_2]") {
    THINK("a match may reach into the place that it is compared with");
    CHECK(penalised(Row(2, 0), {1, 1, 1, 1}, 1, 2, 1)[1] == -4);
}

TEST_CASE("a breaker ends a match and is never penalised", "[ex08_2]") {
    INFO("think about: what comes before the breaker does not count either");
    CHECK(penalised(Row(6, 0), {2, 3, 4, 1, 2, 3, 4}, 1, 2, 1, {3})[1] == -1);
    CHECK(penalised(Row(6, 0), {2, 3, 4, 1, 2, 3, 4}, 1, 2, 1, {4})[1] == 0);
    CHECK(penalised(Row(6, 0), {2, 3, 4, 1, 2, 3, 4}, 1, 2, 1, {1}) == Row(6, 0));
    CHECK(penalised(Row(6, 0), {2, 3, 4, 1, 2, 3, 4}, 1, 2, 1, {0, 5})[1] == -4);
    INFO("think about: there may be several breakers");
    CHECK(penalised(Row(6, 0), {2, 3, 4, 1, 2, 3, 4}, 1, 2, 1, {0, 3})[1] == -1);
    CHECK(penalised(Row(6, 0), {2, 3, 4, 1, 2, 3, 4}, 1, 2, 1, {0, 5, 1}) == Row(6, 0));
}

TEST_CASE("nothing written, nothing penalised; a multiplier of 0 is off; a ban stays a ban",
          "[ex08_2]") {
    THINK("0 · anything is 0, and −∞ stays −∞");
    CHECK(penalised({1, 2}, {}, 1, 2, 1) == Row{1, 2});
    CHECK(penalised({1, 2}, {1}, 1, 2, 1) == Row{1, 2});
    CHECK(penalised({1, 2}, {1, 1, 1}, 0, 2, 1) == Row{1, 2});
    const float banned = -INFINITY;
    CHECK(penalised({1, banned}, {1, 1, 1}, 1, 2, 1) == Row{1, banned});
}

TEST_CASE("a long loop makes a logit small, not infinite", "[ex08_2]") {
    const float s = penalised(Row(2, 0), Ids(600, 1), 1, 4, 1)[1];
    INFO("600 equal tokens; think about: 4^598 is more than a float, or even a double, holds");
    CHECK(s == -1e30f);
}

TEST_CASE("any text: the definition, token by token", "[ex08_2]") {
    THINK("for each earlier place: how far back do it and the end agree?");
    Rng rng(82);
    for (int round = 0; round < 300; ++round) {
        const Ids ids = random_ids(rng, rng.below(20), 3);
        const Row s = penalised(Row(3, 0), ids, 1, 2, 1);
        for (int t = 0; t < 3; ++t) {
            // The longest end of the text that occurs somewhere with t after it.
            int longest = 0;
            for (std::size_t length = 1; length < ids.size(); ++length) {
                for (std::size_t at = 0; at + length < ids.size(); ++at) {
                    const auto from = ids.begin() + static_cast<std::ptrdiff_t>(at);
                    if (ids[at + length] == t &&
                        std::equal(from, from + static_cast<std::ptrdiff_t>(length),
                                   ids.end() - static_cast<std::ptrdiff_t>(length)))
                        longest = static_cast<int>(length);
                }
            }
            INPUT(ids);
            INFO("token " << t << " would continue " << longest);
            CHECK(s[static_cast<std::size_t>(t)] ==
                  (longest == 0 ? 0 : -std::ldexp(1.0f, longest - 1)));
        }
    }
}
