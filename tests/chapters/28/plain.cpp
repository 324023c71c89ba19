// Chapter 28 by hand: the split product, and what it costs.
#include "tests/catch.hpp"

#include "chapters/28_several_machines/costs.hpp"
#include "chapters/28_several_machines/plain_split.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::error_of;

TEST_CASE("a product by columns has the bits of one machine, by rows it has not") {
    Rng rng(3);
    int different = 0;
    for (int round = 0; round < 50; ++round) {
        const std::size_t K = 8 + rng.below(40), N = 1 + rng.below(20);
        plain::Row x(K);
        plain::Matrix w(K, plain::Row(N));
        for (float& v : x) v = rng.uniform_float() - 0.5f;
        for (plain::Row& row : w)
            for (float& v : row) v = rng.uniform_float() - 0.5f;
        const plain::Row alone = plain::product(x, w);
        for (std::size_t machines = 1; machines <= N; ++machines)
            REQUIRE(plain::by_columns(x, w, machines) == alone);
        REQUIRE(plain::by_rows(x, w, 1) == alone);
        const plain::Row added = plain::by_rows(x, w, 3);
        different += added != alone;
        // Each of 2K operations in each order is off by 2^-24 of at most K/4.
        for (std::size_t n = 0; n < N; ++n)
            REQUIRE(std::abs(added[n] - alone[n]) <= static_cast<float>(K * K) * 0x1p-24f);
    }
    CHECK(different > 25);
}

TEST_CASE("a product is not split among more machines than it has columns or rows") {
    const plain::Matrix w(3, plain::Row(2));
    CHECK(error_of([&] {
              plain::by_columns({1, 2, 3}, w, 3);
          }) == "split: numbers: got 2, expected 3 or more");
    CHECK(error_of([&] {
              plain::by_rows({1, 2, 3}, w, 0);
          }) == "split: machines: got 0, expected 1 or more");
}

TEST_CASE("the cost of a token is its weights, its messages and its bytes") {
    const TransformerConfig config = gpt_config(2, 4, 8, 16, 100);
    CHECK(traffic_by_columns(config).numbers == 8 + 8 + 32 + 8);
    CHECK(traffic_by_rows(config).numbers == 8 + 8);
    CHECK(bytes_to_gather(56, 4) == 168);
    CHECK(bytes_to_sum(16, 4) == 96);
    const double weights = 4.0 * static_cast<double>(parameter_count(config));
    const Machine machine{1e9, 100};
    const Network network{10, 3};
    CHECK(seconds_per_token(config, 4, machine, network, 1) == Approx(weights / 100));
    // Two layers of four gathers and the logits: nine, each of two messages among four machines.
    CHECK(seconds_per_token(config, 4, machine, network, 4) ==
          Approx(weights / 400 + 9 * 2 * 3 + (2 * 168 + 300) / 10.0));
}
