#include "tests/catch.hpp"

#include "chapters/04_top_k/plain_top_k.hpp"
#include "tests/support/logits.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

std::vector<int> kept(const std::vector<float>& s, int k, Ties ties = Ties::exact) {
    return ids_of(top_k(s, k, ties));
}

std::vector<double> distribution(const std::vector<float>& s, int k) {
    return softmax_at(top_k(s, k), 1);
}

}  // namespace

TEST_CASE("top-k on the tutorial's logits gives the right numbers, not the printed ones") {
    const std::vector<double> three = distribution(eight, 3);
    const double expected3[] = {.843795, .114195, .042010, 0, 0, 0, 0, 0};
    const std::vector<double> all = distribution(eight, 8);
    const double expected8[] = {.821030, .111114, .040877, .015038,
                                .009121, .002035, .000749, .000037};
    for (std::size_t i = 0; i < 8; ++i) {
        REQUIRE(std::abs(three[i] - expected3[i]) <= 5.1e-7);
        REQUIRE(std::abs(all[i] - expected8[i]) <= 5.1e-7);
    }
}

TEST_CASE("exactly k stay, and of equal logits the lower ids") {
    REQUIRE(kept({1, 1, 1, 1}, 2) == std::vector<int>{0, 1});
    REQUIRE(kept({2, 5, 2, 5, 2}, 3) == std::vector<int>{0, 1, 3});
    REQUIRE(kept({2, 5, 2, 5, 2}, 1) == std::vector<int>{1});
    REQUIRE(kept(std::vector<float>(5000, 0.5f), 7) == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("with ties kept, all that are as good as the k-th stay") {
    REQUIRE(kept({1, 1, 1, 1}, 2, Ties::keep_all).size() == 4);
    REQUIRE(kept({2, 5, 2, 5, 2}, 3, Ties::keep_all).size() == 5);
    REQUIRE(kept({2, 5, 2, 5, 2}, 2, Ties::keep_all) == std::vector<int>{1, 3});
}

TEST_CASE("k = 0 is off and k beyond the vocabulary keeps all") {
    REQUIRE(kept(eight, 0).size() == 8);
    REQUIRE(kept(eight, 8).size() == 8);
    REQUIRE(kept(eight, 1000000).size() == 8);
    REQUIRE(kept(eight, 1) == std::vector<int>{0});
}

TEST_CASE("a negative k is refused, and a broken row too") {
    REQUIRE_THROWS_WITH(top_k(eight, -1, Ties::exact), Catch::Contains("got -1"));
    REQUIRE_THROWS_WITH(top_k(std::vector<float>{1, 2, std::nanf(""), 3, 4}, 2),
                        Catch::Contains("token 2 is NaN"));
}
