// The plain cache of one head: numbers by hand, and nothing changes when the text grows.
#include "tests/catch.hpp"

#include "chapters/07_kv_cache/plain_kv_cache.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

TEST_CASE("each token adds one key and one value") {
    PlainKvCache cache;
    for (std::size_t T = 1; T <= 3; ++T) {
        attend_next(cache, {1, 0}, {1, static_cast<double>(T)}, {2, 3});
        REQUIRE(cache.K.size() == T);
        REQUIRE(cache.V.size() == T);
        REQUIRE(cache.K.back() == Vector{1, static_cast<double>(T)});
    }
}

TEST_CASE("a query that matches one key returns that key's value") {
    PlainKvCache cache;
    attend_next(cache, {0, 0}, {100, 0}, {7, 1});
    attend_next(cache, {0, 0}, {0, 100}, {8, 2});
    // Scores 0, 0 and 100·100/√2: e to the differences is 0 in double.
    REQUIRE(attend_next(cache, {100, 0}, {-100, 0}, {9, 3}) == Vector{7, 1});
}

TEST_CASE("a query that matches nothing returns the mean of the values") {
    PlainKvCache cache;
    attend_next(cache, {0}, {1}, {2});
    REQUIRE(std::abs(attend_next(cache, {0}, {5}, {4})[0] - 3) <= 1e-15);
}

TEST_CASE("softmax(q·k/√D) mixes the values: one step by hand") {
    PlainKvCache cache;
    attend_next(cache, {0, 0, 0, 0}, {2, 0, 0, 0}, {1, 0, 0, 0});
    // D = 4, so √D = 2: the scores are 2·1/2 = 1 and 0, the shares .731 and .269.
    const Vector answer = attend_next(cache, {1, 0, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 0});
    CHECK(std::abs(answer[0] - .7310585786) <= 1e-10);
    CHECK(std::abs(answer[1] - .2689414214) <= 1e-10);
}

TEST_CASE("with the cache kept or filled again for each token: the same answers") {
    Rng rng(7);
    std::vector<Vector> q, k, v;
    for (int t = 0; t < 20; ++t) {
        for (auto* rows : {&q, &k, &v}) {
            rows->push_back(Vector(8));
            for (double& x : rows->back()) x = 4 * rng.uniform() - 2;
        }
    }
    PlainKvCache kept;
    for (std::size_t t = 0; t < q.size(); ++t) {
        PlainKvCache again;  // without a cache every token of the text is read anew
        Vector answer;
        for (std::size_t u = 0; u <= t; ++u) answer = attend_next(again, q[u], k[u], v[u]);
        REQUIRE(attend_next(kept, q[t], k[t], v[t]) == answer);
    }
}

TEST_CASE("rows of another size are refused, and leave the cache as it was") {
    PlainKvCache cache;
    attend_next(cache, {1, 2}, {3, 4}, {5, 6});
    CHECK_THROWS_AS(attend_next(cache, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}), Error);
    CHECK_THROWS_AS(attend_next(cache, {1, 2}, {3}, {5, 6}), Error);
    CHECK_THROWS_AS(attend_next(cache, {1, 2}, {3, 4}, {5}), Error);
    CHECK_THROWS_AS(attend_next(cache, {}, {}, {}), Error);
    CHECK(cache.K.size() == 1);
    CHECK(cache.V.size() == 1);
}
