// The counts of work with and without a cache: by formula, by hand, and as a model is really asked.
#include "catch.hpp"

#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/07_kv_cache/work.hpp"
#include "gpt.hpp"
#include "rng.hpp"

using namespace tbt;

TEST_CASE("a hundred new tokens cost as many positions as the formulas say", "[ch07]") {
    const struct { std::int64_t p, without, with; } rows[] = {{2, 5150, 101}, {12, 6150, 111}, {50, 9950, 149}, {100, 14950, 199}, {200, 24950, 299}, {400, 44950, 499}};
    for (const auto& [p, without, with] : rows) {
        REQUIRE(uncached_work(p, 100).positions == without);
        REQUIRE(cached_work(p, 100).positions == with);
    }
    REQUIRE(uncached_work(50, 100).dot_products == 541650);
    REQUIRE(cached_work(50, 100).dot_products == 11175);
    REQUIRE(uncached_work(200, 100).dot_products == 3166650);
    REQUIRE(cached_work(200, 100).dot_products == 44850);
    // The tutorials' example: a thousand tokens from one, 500,500 positions against 1,000.
    REQUIRE(uncached_work(1, 1000).positions == 500500);
    REQUIRE(cached_work(1, 1000).positions == 1000);
    REQUIRE(uncached_work(1, 1000).dot_products == 167167000);
    REQUIRE(cached_work(1, 1000).dot_products == 500500);
}

TEST_CASE("small cases can be counted by hand", "[ch07]") {
    // Prompt of 2, one token: positions 2, pairs 1 + 2.
    REQUIRE(uncached_work(2, 1).positions == 2);
    REQUIRE(uncached_work(2, 1).dot_products == 3);
    REQUIRE(cached_work(2, 1).positions == 2);
    REQUIRE(cached_work(2, 1).dot_products == 3);
    // Then one more: everything again (3 positions, 6 pairs) or one position with 3 keys.
    REQUIRE(uncached_work(2, 2).positions == 5);
    REQUIRE(uncached_work(2, 2).dot_products == 9);
    REQUIRE(cached_work(2, 2).positions == 3);
    REQUIRE(cached_work(2, 2).dot_products == 6);
    REQUIRE(cached_work(5, 0).positions == 0);
    REQUIRE(uncached_work(5, 0).positions == 0);
}

TEST_CASE("greedy text and logits are the same with and without a cache, and the cache reads P + G - 1 positions", "[ch07]") {
    GptConfig config;
    config.vocab_size = 97;
    config.n_positions = 80;
    config.n_embd = 32;
    config.n_layer = 2;
    config.n_head = 2;
    config.n_inner = 128;
    Gpt gpt(config, [](const std::string& name, const Shape& shape) {
        Rng rng(17, name.size() * 1000 + static_cast<std::uint64_t>(name.back()));
        Tensor t(shape);
        for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.3);
        return t;
    });
    const int P = 7, G = 60;
    std::vector<int> with = {1, 2, 3, 4, 5, 6, 7}, without = with;
    KvCache cache(config);
    std::int64_t positions_with = 0, positions_without = 0;
    for (int i = 0; i < G; ++i) {
        const std::span<const int> fresh = std::span(with).subspan(static_cast<std::size_t>(cache.length()));
        positions_with += static_cast<std::int64_t>(fresh.size());
        const std::span<const float> a = gpt.forward(cache, fresh);
        const std::vector<float> cached(a.begin(), a.end());
        KvCache empty(config);
        positions_without += static_cast<std::int64_t>(without.size());
        const std::span<const float> b = gpt.forward(empty, without);
        REQUIRE(std::equal(cached.begin(), cached.end(), b.begin(), b.end()));
        with.push_back(argmax(cached));
        without.push_back(argmax(b));
    }
    REQUIRE(with == without);
    REQUIRE(positions_with == cached_work(P, G).positions);
    REQUIRE(positions_without == uncached_work(P, G).positions);
}
