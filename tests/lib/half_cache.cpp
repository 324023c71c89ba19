// Keys and values in 16 bits: the same as rounding each of them and keeping floats, bit for bit.
#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/model/attention.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/transformer.hpp"
#include "tests/catch.hpp"
#include "tests/support/attention_run.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;
using test::run;

namespace {

using Floats = std::vector<float>;

TransformerConfig sized(int heads, int head_size, WeightType cache, int positions = 200) {
    TransformerConfig config = gpt_config(1, heads, heads * head_size, positions, 300);
    config.cache_type = cache;
    return config;
}

// Rows of (query, key, value); some numbers are so small that they are subnormal as F16.
Floats random_qkv(int tokens, int channels, std::uint64_t seed) {
    Rng rng(seed);
    Floats qkv(static_cast<std::size_t>(tokens * 3 * channels));
    for (float& v : qkv) v = static_cast<float>(rng.normal() * (rng.below(4) ? 1.0 : 1e-6));
    return qkv;
}

// What chapter 20 says: each key and each value is rounded, queries are not.
Floats rounded_keys_and_values(Floats qkv, int channels) {
    for (std::size_t i = 0; i < qkv.size(); ++i)
        if (i % static_cast<std::size_t>(3 * channels) >= static_cast<std::size_t>(channels))
            qkv[i] = from_f16(to_f16(qkv[i]));
    return qkv;
}

}  // namespace

TEST_CASE("attention over 16-bit keys and values is attention over rounded floats, bit for bit",
          "[kv_cache]") {
    for (const auto& [heads, size] :
         {std::pair{1, 1}, {2, 7}, {1, 16}, {3, 20}, {4, 33}, {6, 32}, {2, 64}, {1, 80}}) {
        const AttentionShape shape{heads * size, heads};
        for (const int tokens : {1, 2, 5, 63, 64, 65, 130}) {
            const Floats qkv = random_qkv(tokens, shape.channels, static_cast<std::uint64_t>(size));
            KvCache wide(sized(heads, size, WeightType::f32)),
                narrow(sized(heads, size, WeightType::f16));
            const Floats expected = run(wide, rounded_keys_and_values(qkv, shape.channels), shape);
            INFO("heads " << heads << ", head size " << size << ", tokens " << tokens);
            REQUIRE(run(narrow, qkv, shape) == expected);
            // In pieces and with several threads too.
            KvCache pieces(sized(heads, size, WeightType::f16));
            Floats out;
            const int row = 3 * shape.channels;
            for (int t = 0, n = 0; t < tokens; t += n) {
                n = std::min(1 + t % 6, tokens - t);
                const Floats part = run(
                    pieces, Floats(qkv.begin() + t * row, qkv.begin() + (t + n) * row), shape, 2);
                out.insert(out.end(), part.begin(), part.end());
            }
            REQUIRE(out == expected);
        }
    }
}

TEST_CASE("a 16-bit cache holds each key and value rounded to the nearest; a float cache as it is",
          "[kv_cache]") {
    const AttentionShape shape{3 * 20, 3};
    const Floats qkv = random_qkv(70, shape.channels, 5);
    for (const WeightType type : {WeightType::f32, WeightType::f16}) {
        KvCache cache(sized(3, 20, type));
        run(cache, qkv, shape);
        int wrong = 0;
        for (int t = 0; t < 70; ++t)
            for (int head = 0; head < 3; ++head)
                for (int d = 0; d < 20; ++d) {
                    const auto at = static_cast<std::size_t>((t * 3 + 1) * 60 + head * 20 + d);
                    const auto kept = [&](float x) {
                        return type == WeightType::f16 ? from_f16(to_f16(x)) : x;
                    };
                    wrong += cache.key(t, 0, head, d) != kept(qkv[at]);
                    wrong += cache.value(t, 0, head, d) != kept(qkv[at + 60]);
                }
        REQUIRE(wrong == 0);
        REQUIRE_THROWS_AS(cache.key(200, 0, 0, 0), Error);
        REQUIRE_THROWS_AS(cache.value(-1, 0, 0, 0), Error);
        REQUIRE_THROWS_AS(cache.key(0, 0, 0, 32), Error);
    }
}

TEST_CASE("forks and rewinds of a 16-bit cache are those of a float cache", "[kv_cache]") {
    const AttentionShape shape{2 * 16, 2};
    const Floats common = random_qkv(100, 32, 1), a = random_qkv(40, 32, 2),
                 b = random_qkv(40, 32, 3);
    KvCache trunk(sized(2, 16, WeightType::f16));
    run(trunk, common, shape);
    KvCache fork = trunk;
    const Floats first = run(fork, a, shape), second = run(trunk, b, shape);
    REQUIRE(first != second);
    fork.truncate(100);
    REQUIRE(run(fork, b, shape) == second);
    trunk.truncate(100);
    REQUIRE(run(trunk, a, shape) == first);
}

TEST_CASE("a number beyond F16 is infinite in a 16-bit cache, and its row is not a number",
          "[kv_cache]") {
    const AttentionShape shape{16, 1};
    Floats qkv(48, 1.0f);
    qkv[20] = 65519;  // rounds to the largest F16
    KvCache cache(sized(1, 16, WeightType::f16));
    REQUIRE(std::isfinite(run(cache, qkv, shape)[0]));
    REQUIRE(cache.key(0, 0, 0, 4) == 65504);
    qkv[20] = 65520;
    REQUIRE(std::isnan(run(cache, qkv, shape)[0]));
}

TEST_CASE("a value beyond F16 reaches the rows that see it, and no others", "[kv_cache]") {
    for (const int window : {0, 30}) {
        AttentionShape shape{20, 1};
        shape.window = window;
        for (const int beyond : {0, 2, 33, 63, 64, 69}) {
            Floats qkv = random_qkv(120, 20, 6), one_by_one;
            qkv[static_cast<std::size_t>(beyond * 60 + 45)] = 70000;
            KvCache together(sized(1, 20, WeightType::f16)), cache(sized(1, 20, WeightType::f16));
            const Floats out = run(together, qkv, shape);
            for (int t = 0; t < 120; ++t)
                for (const float v :
                     run(cache, {&qkv[index(t * 60)], &qkv[index(t * 60)] + 60}, shape))
                    one_by_one.push_back(v);
            int different = 0, seen_early = 0;
            for (std::size_t i = 0; i < out.size(); ++i) {
                different +=
                    std::isnan(out[i]) ? !std::isnan(one_by_one[i]) : out[i] != one_by_one[i];
                seen_early += !std::isfinite(out[i]) && to_int(i) < beyond * 20;
            }
            INFO("window " << window << ", value " << beyond);
            CHECK(different == 0);
            CHECK(seen_early == 0);
            CHECK(!std::isfinite(out[index(beyond * 20 + 5)]));
        }
    }
}

TEST_CASE("16-bit keys and values take half the memory, by formula, as counted and as planned",
          "[kv_cache]") {
    TransformerConfig config = preset_config("storyteller");
    config.cache_type = WeightType::f16;
    REQUIRE(KvCache::bytes_per_token(config) == 2 * 8 * 256 * 2);
    KvCache cache(config);
    REQUIRE(cache.pool_bytes() == 512 * KvCache::bytes_per_token(config));
    cache.make_room(65);
    REQUIRE(cache.bytes() == 128 * KvCache::bytes_per_token(config));
    REQUIRE(plan_memory(config, WeightType::f16, 512, 3).cache == 3 * cache.pool_bytes());
}

TEST_CASE("a cache of another type than the model's is refused, and types that no cache has",
          "[kv_cache]") {
    TransformerConfig config = sized(2, 12, WeightType::f32);
    Transformer gpt(config, random_weights(config, 1), {1, {}, WeightType::f16});
    REQUIRE(gpt.config().cache_type == WeightType::f16);
    KvCache foreign(config), own(gpt.config());
    const std::vector<int> ids = {1, 2, 3};
    REQUIRE(contains(error_of([&] { gpt.forward(foreign, ids); }), "was made for another model"));
    REQUIRE_NOTHROW(gpt.forward(own, ids));
    for (const WeightType type : {WeightType::bf16, WeightType::int8}) {
        config.cache_type = type;
        REQUIRE(contains(error_of([&] { KvCache cache(config); }), "kept as f32 or f16, not as"));
        REQUIRE(contains(error_of([&] {
                             Transformer(config, random_weights(config, 1), {1, {}, type});
                         }),
                         "kept as f32 or f16, not as"));
    }
}
