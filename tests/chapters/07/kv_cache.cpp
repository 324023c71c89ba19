// The counts of work with and without a cache: by formula, by hand, and as a model is really asked.
#include "tests/catch.hpp"

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/07_kv_cache/tools/roofline.hpp"
#include "chapters/07_kv_cache/work.hpp"
#include "tests/support/temporary.hpp"
#include "tests/support/tiny_gpt.hpp"

using namespace tbt;
namespace {

Tensor random_tensor(const std::string& name, const Shape& shape, std::uint64_t seed) {
    Rng rng(seed, name.size() * 1000 + static_cast<std::uint64_t>(name.back()));
    Tensor t(shape);
    for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.3);
    return t;
}

}  // namespace

TEST_CASE("a hundred new tokens cost as many positions as the formulas say") {
    const struct {
        std::int64_t p, without, with;
    } rows[] = {{2, 5150, 101},    {12, 6150, 111},   {50, 9950, 149},
                {100, 14950, 199}, {200, 24950, 299}, {400, 44950, 499}};
    for (const auto& [p, without, with] : rows) {
        REQUIRE(uncached_work(p, 100).positions == without);
        REQUIRE(cached_work(p, 100).positions == with);
    }
}

TEST_CASE("small cases can be counted by hand, larger ones by the formulas") {
    // Prompt, new tokens, then positions and pairs without a cache and with it. Of a prompt of 2
    // and one token: positions 2, pairs 1 + 2. Then one more: everything again (3 positions, 6
    // pairs) or one position with 3 keys. The tutorials' example: a thousand tokens from one.
    const struct {
        std::int64_t p, g, uncached, uncached_pairs, cached, cached_pairs;
    } rows[] = {{2, 1, 2, 3, 2, 3},
                {2, 2, 5, 9, 3, 6},
                {5, 0, 0, 0, 0, 0},
                {50, 100, 9950, 541650, 149, 11175},
                {200, 100, 24950, 3166650, 299, 44850},
                {1, 1000, 500500, 167167000, 1000, 500500}};
    for (const auto& [p, g, uncached, uncached_pairs, cached, cached_pairs] : rows) {
        INFO(p << " and " << g);
        REQUIRE(uncached_work(p, g).positions == uncached);
        REQUIRE(uncached_work(p, g).dot_products == uncached_pairs);
        REQUIRE(cached_work(p, g).positions == cached);
        REQUIRE(cached_work(p, g).dot_products == cached_pairs);
    }
}

TEST_CASE(
    "greedy text and logits are the same with and without a cache, and the cache reads P + G - 1 "
    "positions") {
    const TransformerConfig config = gpt_config(2, 2, 32, 80, 97);
    Transformer gpt(config, [](const std::string& name, const Shape& shape) {
        return random_tensor(name, shape, 17);
    });
    const int P = 7, G = 60;
    std::vector<int> with = {1, 2, 3, 4, 5, 6, 7}, without = with;
    KvCache cache(config);
    std::int64_t positions_with = 0, positions_without = 0;
    for (int i = 0; i < G; ++i) {
        const std::span<const int> fresh = std::span(with).subspan(index(cache.length()));
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

namespace {

TransformerConfig two_layers() {
    TransformerConfig config = gpt_config(2, 2, 20, 80, 97);
    config.n_inner = 40;
    return config;
}

Transformer some_gpt() {
    return Transformer(two_layers(), [](const std::string& name, const Shape& shape) {
        return random_tensor(name, shape, 23);
    });
}

}  // namespace

TEST_CASE(
    "without a cache the keys and values of all earlier positions come out as before, every bit") {
    Transformer gpt = some_gpt();
    std::vector<int> ids;
    KvCache cache(two_layers());
    for (int t = 0; t < 80; ++t) {
        ids.push_back(t * 7 % 97);
        gpt.forward(cache, std::span(ids).last(1));
        KvCache fresh(two_layers());
        gpt.forward(fresh, ids);
        REQUIRE(equal_positions(cache, fresh, two_layers(), t + 1) == t + 1);
    }
}

TEST_CASE("from the first other token on, keys and values are others") {
    Transformer gpt = some_gpt();
    std::vector<int> ids(70);
    for (int t = 0; t < 70; ++t) ids[index(t)] = t * 5 % 97;
    KvCache cache(two_layers());
    gpt.forward(cache, ids);
    for (const int changed : {0, 1, 40, 63, 64, 69}) {
        std::vector<int> other = ids;
        other[index(changed)] = 96;
        KvCache fresh(two_layers());
        gpt.forward(fresh, other);
        REQUIRE(equal_positions(cache, fresh, two_layers(), 70) == changed);
    }
    // One step to the left: the same tokens at other positions. No key survives.
    KvCache slid(two_layers());
    gpt.forward(slid, std::span(ids).subspan(1));
    REQUIRE(equal_positions(cache, slid, two_layers(), 69) == 0);
}

TEST_CASE("a roofline is read from the bench's JSON, and points lie where arithmetic puts them") {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("bench.json", R"({"sections": {
        "limits": [{"limit": "fused multiply-add", "threads": 1, "figure": 200.0},
                   {"limit": "read 12 MB", "threads": 1, "figure": 25.0},
                   {"limit": "fused multiply-add", "threads": 2, "figure": 400.0},
                   {"limit": "read 12 MB", "threads": 2, "figure": 50.0}],
        "matmul": [{"M×K×N": "1×1000×2000", "threads": 2, "µs": 200.0},
                   {"M×K×N": "1×1000×2000 f16", "threads": 2, "µs": 100.0},
                   {"M×K×N": "1×1000×2000", "threads": 1, "µs": 400.0},
                   {"M×K×N": "100ᵀ×1000×2000", "threads": 2, "µs": 1250.0}]}})");
    const Roofline roofline = read_roofline(file, 0);
    REQUIRE(roofline.threads == 2);
    REQUIRE(roofline.peak == 400);
    REQUIRE(roofline.slopes.size() == 1);
    REQUIRE(roofline.products.size() == 3);
    const Product& one = roofline.products[0];
    REQUIRE(one.operations() == 4e6);
    REQUIRE(one.bytes() == 8e6 + 12e3);
    REQUIRE(one.gigaflops() == Approx(20));
    REQUIRE(roofline.products[1].bytes() == 4e6 + 12e3);
    REQUIRE(roofline.products[2].gigaflops() == Approx(320));
    // Below the corner at 400 / 50 = 8 operations a byte the memory limits,
    // above it the arithmetic.
    REQUIRE(roofline.limit(4, roofline.slopes[0]) == 200);
    REQUIRE(roofline.limit(8, roofline.slopes[0]) == 400);
    REQUIRE(roofline.limit(80, roofline.slopes[0]) == 400);
    REQUIRE(read_roofline(file, 1).peak == 200);
    REQUIRE(chart_of(roofline).series.size() == 3);

    REQUIRE(test::contains(test::error_of([&] { read_roofline(file, 3); }),
                           "has no figures for 3 threads"));
    for (const char* broken :
         {"{}", "[]", R"({"sections": 1})", R"({"sections": {"limits": []}})"}) {
        const std::string other = folder.write("other.json", broken);
        REQUIRE(test::contains(test::error_of([&] { read_roofline(other, 0); }),
                               "build/bench --only limits,matmul --json"));
    }
    const std::string empty =
        folder.write("empty.json", R"({"sections": {"limits": [1, "x"], "matmul": [null]}})");
    REQUIRE(test::contains(test::error_of([&] { read_roofline(empty, 0); }), "has no figures"));
}

TEST_CASE(
    "a cached model gives the bits of a fresh one: growing, rolled back, replaced, repeated") {
    Transformer gpt = tiny_gpt();
    Transformer other = tiny_gpt();
    CachedModel cached(gpt);
    const std::vector<std::vector<int>> texts = {
        {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, {1, 2}, {1, 2, 9, 9},
        {7},       {7, 8}};
    for (const std::vector<int>& ids : texts) {
        const auto logits = cached(ids);
        REQUIRE(std::vector<float>(logits.begin(), logits.end()) == fresh_logits(other, ids));
        REQUIRE(cached.cache().length() == to_int(ids.size()));
    }
}

TEST_CASE("the last rows of a cached model are the predictions after each of the last tokens") {
    Transformer gpt = tiny_gpt();
    Transformer other = tiny_gpt();
    CachedModel cached(gpt);
    const std::vector<int> ids = {5, 6, 7, 8, 9};
    cached(std::vector<int>{5, 6, 7});
    for (const int count : {1, 2, 3, 5}) {
        const Logits rows = cached.last(ids, count);
        REQUIRE(rows.rows == count);
        for (int r = 0; r < count; ++r) {
            const std::vector<int> prefix(ids.begin(), ids.end() - (count - 1 - r));
            const auto row = rows.row(r);
            REQUIRE(std::vector<float>(row.begin(), row.end()) == fresh_logits(other, prefix));
        }
    }
}
