// Exercise 25_03: grouped heads.
#include "25_03_grouped_heads.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex25_03;

namespace {

using Row = tbt::ex25_03::Row;  // not those of other exercises
using Rows = tbt::ex25_03::Rows;

}  // namespace

TEST_CASE("six query heads and two key heads", "[ex25_03]") {
    THINK("groups follow each other: 0, 1, 2 read key head 0");
    const std::size_t expected[] = {0, 0, 0, 1, 1, 1};
    for (std::size_t j = 0; j < 6; ++j) {
        INPUT(j);
        CHECK(key_head(j, 6, 2) == expected[j]);
    }
}

TEST_CASE("as many key heads as query heads, and only one", "[ex25_03]") {
    THINK("with K = H each has its own, with K = 1 all share");
    for (std::size_t j = 0; j < 8; ++j) {
        INPUT(j);
        CHECK(key_head(j, 8, 8) == j);
        CHECK(key_head(j, 8, 1) == std::size_t{0});
        CHECK(key_head(j, 8, 4) == j / 2);
    }
}

TEST_CASE("the bytes of a cache", "[ex25_03]") {
    THINK("keys and values, for each layer, key head, component and token");
    CHECK(bytes(32, 8, 128, 1, 2) == std::size_t{131072});
    CHECK(bytes(1, 1, 1, 1, 1) == std::size_t{2});
    CHECK(bytes(16, 8, 64, 8192, 2) == std::size_t{268435456});
    CHECK(bytes(3, 5, 7, 11, 4) == std::size_t{9240});
}

TEST_CASE("each query head gets the answer of its own group", "[ex25_03]") {
    THINK("attend with q[j] and the keys and values of key_head(j, H, K)");
    Rng rng(4);
    for (const auto& [H, K] :
         {std::pair<std::size_t, std::size_t>{4, 2}, {6, 2}, {6, 3}, {5, 1}, {3, 3}}) {
        const Rows q = normal_rows(rng, H, 4);
        std::vector<Rows> keys, values;
        for (std::size_t g = 0; g < K; ++g)
            keys.push_back(normal_rows(rng, 3, 4)), values.push_back(normal_rows(rng, 3, 4));
        INPUT(H, K);
        const Rows out = answers(q, keys, values);
        REQUIRE(out.size() == H);
        for (std::size_t j = 0; j < H; ++j) {
            const std::size_t g = j * K / H;
            INFO("query head " << j);
            CHECK_NEAR(out[j], attend(q[j], keys[g], values[g]), 1e-12);
        }
    }
}
