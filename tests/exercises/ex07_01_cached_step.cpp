// Exercise 07_01: what one step costs.
#include "07_01_cached_step.hpp"
#include "chapters/07_kv_cache/work.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex07_01;

namespace {

using Numbers = std::vector<std::int64_t>;

void check(Cost (*cost)(std::int64_t, std::int64_t), std::int64_t past, std::int64_t fresh,
           std::int64_t positions, std::int64_t dot_products) {
    INFO((cost == with_cache ? "with" : "without") << " a cache: positions, dot products");
    INPUT(past, fresh);
    THINK("a line for each token that is read, as long as the keys that it looks at");
    const Cost c = cost(past, fresh);
    CHECK((Numbers{c.positions, c.dot_products}) == (Numbers{positions, dot_products}));
}

}  // namespace

TEST_CASE("three tokens and two more", "[ex07_01]") {
    check(with_cache, 3, 2, 2, 9);
    check(without_cache, 3, 2, 5, 15);
}

TEST_CASE("a prompt costs the same either way", "[ex07_01]") {
    check(with_cache, 0, 4, 4, 10);
    check(without_cache, 0, 4, 4, 10);
}

TEST_CASE("one more token, and none", "[ex07_01]") {
    check(with_cache, 511, 1, 1, 512);
    check(without_cache, 511, 1, 512, 131328);
    check(with_cache, 7, 0, 0, 0);
    check(without_cache, 7, 0, 7, 28);
    check(with_cache, 0, 0, 0, 0);
}

TEST_CASE("a hundred million tokens", "[ex07_01]") {
    constexpr std::int64_t n = 100000000;
    check(with_cache, n, n, n, n * n + n / 2 * (n + 1));
    check(without_cache, n, n, 2 * n, n * (2 * n + 1));
    for (int i = 0; i < 300; ++i) with_cache(n, n), without_cache(n, n);  // no time for loops
}

TEST_CASE("lengths below 0 are refused", "[ex07_01]") {
    CHECK_THROWS_AS(with_cache(-1, 2), Error);
    CHECK_THROWS_AS(with_cache(2, -1), Error);
    CHECK_THROWS_AS(without_cache(-1, 2), Error);
    CHECK_THROWS_AS(without_cache(2, -1), Error);
}

TEST_CASE("any lengths: as the chapter counts, and as a loop does", "[ex07_01]") {
    Rng rng(71);
    for (int round = 0; round < 2000; ++round) {
        const auto past = static_cast<std::int64_t>(rng.below(40)),
                   fresh = static_cast<std::int64_t>(rng.below(40));
        std::int64_t seen = 0;
        for (std::int64_t i = 0; i < past + fresh; ++i) seen += i + 1;
        check(without_cache, past, fresh, past + fresh, seen);
        const Work work = forward_work(past, fresh);
        check(with_cache, past, fresh, work.positions, work.dot_products);
    }
}
