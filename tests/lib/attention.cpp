// Attention and the KV cache: against the formula, and against themselves in every order of work.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/rng.hpp"
#include "lib/model/attention.hpp"
#include "tests/support/attention_run.hpp"

using namespace tbt;
using test::run;

namespace {

TransformerConfig shape_config(int heads, int head_size, int positions, int layers = 1) {
    return gpt_config(layers, heads, heads * head_size, positions, 300);
}

// Rows of (query, key, value), each (C).
std::vector<float> random_qkv(int tokens, int channels, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<float> qkv(static_cast<std::size_t>(tokens) * 3 *
                           static_cast<std::size_t>(channels));
    for (float& v : qkv) v = static_cast<float>(rng.normal());
    return qkv;
}

std::vector<float> some_rows(const std::vector<float>& all, int first, int count, int width) {
    return {all.begin() + first * width, all.begin() + (first + count) * width};
}

// The formula in double, position by position.
std::vector<double> attention_by_formula(const std::vector<float>& qkv,
                                         const AttentionShape& shape) {
    const int c = shape.channels, size = shape.head_size(),
              tokens = static_cast<int>(qkv.size()) / (3 * c);
    std::vector<double> out(static_cast<std::size_t>(tokens * c));
    for (int t = 0; t < tokens; ++t) {
        for (int h = 0; h < shape.heads; ++h) {
            const auto at = [&](int u, int part, int d) {
                return static_cast<double>(
                    qkv[static_cast<std::size_t>((u * 3 + part) * c + h * size + d)]);
            };
            std::vector<double> p(static_cast<std::size_t>(t + 1));
            double largest = -INFINITY, total = 0;
            for (int u = 0; u <= t; ++u) {
                double s = 0;
                for (int d = 0; d < size; ++d) s += at(t, 0, d) * at(u, 1, d);
                p[static_cast<std::size_t>(u)] = s / std::sqrt(size);
                largest = std::max(largest, p[static_cast<std::size_t>(u)]);
            }
            for (double& s : p) total += s = std::exp(s - largest);
            for (int d = 0; d < size; ++d) {
                double sum = 0;
                for (int u = 0; u <= t; ++u)
                    sum += p[static_cast<std::size_t>(u)] / total * at(u, 2, d);
                out[static_cast<std::size_t>(t * c + h * size + d)] = sum;
            }
        }
    }
    return out;
}

}  // namespace

TEST_CASE("a query that matches one key returns that key's value", "[attention]") {
    const AttentionShape shape{16, 1};
    KvCache cache(shape_config(1, 16, 100));
    std::vector<float> qkv(100 * 48, 0.0f);
    for (int u = 0; u < 100; ++u) {
        qkv[static_cast<std::size_t>(u * 48 + 16 + u % 16)] =
            u == 70 ? 400.0f : 1.0f;  // keys: one-hot, number 70 is the loudest
        qkv[static_cast<std::size_t>(u * 48 + 32)] = static_cast<float>(u);  // values: the position
    }
    qkv[99 * 48 + 70 % 16] = 10.0f;  // the last query asks for key 70
    const std::vector<float> out = run(cache, qkv, shape);
    REQUIRE(out[99 * 16] == 70.0f);
    // A query of zeros sees all keys alike: the mean of the values 0 … 98.
    REQUIRE(std::abs(out[98 * 16] - 49.0f) <= 1e-4f);
    // The first token sees only itself.
    REQUIRE(out[0] == 0.0f);
}

TEST_CASE("attention follows its formula for every head size and length", "[attention]") {
    for (const auto& [heads, size] :
         {std::pair{1, 16}, {4, 16}, {6, 32}, {2, 64}, {3, 20}, {1, 80}, {2, 7}}) {
        const AttentionShape shape{heads * size, heads};
        for (const int tokens : {1, 2, 3, 5, 63, 64, 65, 130}) {
            KvCache cache(shape_config(heads, size, 200));
            const std::vector<float> qkv =
                random_qkv(tokens, shape.channels, static_cast<std::uint64_t>(tokens * 100 + size));
            const std::vector<float> out = run(cache, qkv, shape);
            const std::vector<double> expected = attention_by_formula(qkv, shape);
            double worst = 0;
            // Sums of at most 130 products of normal numbers in float:
            // 1e-5 is about 40 roundings of values up to 4.
            for (std::size_t i = 0; i < out.size(); ++i) {
                const double difference = std::abs(out[i] - expected[i]);
                if (!(difference <= worst)) worst = difference;
            }
            INFO("heads " << heads << ", head size " << size << ", tokens " << tokens);
            REQUIRE(worst <= 1e-5);
        }
    }
}

TEST_CASE("tokens one at a time, in pieces or together give the same bits", "[attention]") {
    for (const auto& [heads, size] : {std::pair{2, 32}, {1, 64}, {3, 20}}) {
        const AttentionShape shape{heads * size, heads};
        const int tokens = 150;
        const std::vector<float> qkv = random_qkv(tokens, shape.channels, 7);
        KvCache whole(shape_config(heads, size, tokens));
        const std::vector<float> together = run(whole, qkv, shape);
        for (const int piece : {1, 2, 3, 5, 64, 100}) {
            KvCache cache(shape_config(heads, size, tokens));
            std::vector<float> out;
            for (int t = 0; t < tokens; t += piece) {
                const std::vector<float> part =
                    run(cache, some_rows(qkv, t, std::min(piece, tokens - t), 3 * shape.channels),
                        shape);
                out.insert(out.end(), part.begin(), part.end());
            }
            INFO("pieces of " << piece);
            REQUIRE(out == together);
        }
    }
}

TEST_CASE("attention has the same bits with any number of threads", "[attention]") {
    const AttentionShape shape{5 * 32, 5};
    const std::vector<float> qkv = random_qkv(77, shape.channels, 3);
    KvCache reference_cache(shape_config(5, 32, 77));
    const std::vector<float> reference = run(reference_cache, qkv, shape);
    for (int threads = 2; threads <= 4; ++threads) {
        KvCache cache(shape_config(5, 32, 77));
        REQUIRE(run(cache, qkv, shape, threads) == reference);
    }
}

TEST_CASE("a truncated cache continues as if the forgotten tokens had never been there",
          "[kv_cache]") {
    const AttentionShape shape{2 * 16, 2};
    const std::vector<float> qkv = random_qkv(140, shape.channels, 11),
                             other = random_qkv(90, shape.channels, 12);
    for (const int kept : {0, 1, 63, 64, 65, 128, 139}) {
        KvCache cache(shape_config(2, 16, 300)), fresh(shape_config(2, 16, 300));
        run(cache, qkv, shape);
        cache.truncate(kept);
        REQUIRE(cache.length() == kept);
        if (kept) run(fresh, some_rows(qkv, 0, kept, 3 * shape.channels), shape);
        REQUIRE(run(cache, other, shape) == run(fresh, other, shape));
    }
    KvCache cache(shape_config(2, 16, 300));
    REQUIRE_THROWS_AS(cache.truncate(1), Error);
    REQUIRE_THROWS_AS(cache.truncate(-1), Error);
}

TEST_CASE("forks of a cache go their own ways and share what they have in common", "[kv_cache]") {
    const AttentionShape shape{2 * 16, 2};
    const TransformerConfig config = shape_config(2, 16, 300);
    const std::vector<float> common = random_qkv(100, shape.channels, 1);
    KvCache trunk(config);
    run(trunk, common, shape);
    const std::int64_t block_bytes = trunk.bytes() / 2;
    std::vector<KvCache> forks;
    for (int i = 0; i < 4; ++i) forks.push_back(trunk);
    const std::int64_t before = trunk.pool_bytes();
    for (std::uint64_t i = 0; i < 4; ++i) {
        const std::vector<float> own = random_qkv(20, shape.channels, 50 + i);
        KvCache alone(config);
        run(alone, common, shape);
        REQUIRE(run(forks[i], own, shape) == run(alone, own, shape));
    }
    // Each fork copied the one block it wrote to, and only that;
    // the trunk's room was reserved before.
    REQUIRE(trunk.pool_bytes() - before <= 4 * block_bytes);
    const std::vector<float> more = random_qkv(3, shape.channels, 99);
    KvCache alone(config);
    run(alone, common, shape);
    REQUIRE(run(trunk, more, shape) == run(alone, more, shape));
}

TEST_CASE("forks of a cache do not share the room that was made after its tokens", "[kv_cache]") {
    const AttentionShape shape{16, 1};
    const TransformerConfig config = shape_config(1, 16, 300);
    const std::vector<float> a = random_qkv(10, 16, 2), b = random_qkv(10, 16, 3),
                             next = random_qkv(1, 16, 4);
    for (const int length : {60, 64}) {
        KvCache alone(config);
        run(alone, random_qkv(length, 16, 1), shape);
        KvCache trunk(config);
        run(trunk, random_qkv(length, 16, 1), shape);
        trunk.make_room(10);  // and the pass is given up
        KvCache fork = trunk;
        run(trunk, a, shape);
        run(fork, b, shape);
        run(alone, a, shape);
        INFO("length " << length);
        CHECK(run(trunk, next, shape) == run(alone, next, shape));
    }
}

TEST_CASE("blocks of dropped forks are used again", "[kv_cache]") {
    const AttentionShape shape{16, 1};
    KvCache trunk(shape_config(1, 16, 640));
    run(trunk, random_qkv(70, 16, 1), shape);
    std::int64_t after_first = 0;
    for (int round = 0; round < 20; ++round) {
        KvCache a = trunk, b = trunk;
        run(a, random_qkv(1, 16, 2), shape);
        run(b, random_qkv(1, 16, 3), shape);
        trunk = b;
        if (round == 0) after_first = trunk.pool_bytes();
    }
    REQUIRE(trunk.pool_bytes() == after_first);
}

TEST_CASE("a cache counts its bytes by the formula", "[kv_cache]") {
    const TransformerConfig config = shape_config(6, 32, 512, 6);
    REQUIRE(KvCache::bytes_per_token(config) == 2 * 6 * 192 * 4);
    KvCache cache(config);
    REQUIRE(cache.bytes() == 0);
    REQUIRE(cache.pool_bytes() == 512 * KvCache::bytes_per_token(config));
    cache.make_room(65);
    REQUIRE(cache.bytes() == 128 * KvCache::bytes_per_token(config));
}

TEST_CASE("more tokens than the context are refused by name, and the cache stays as it was",
          "[kv_cache]") {
    const AttentionShape shape{16, 1};
    KvCache cache(shape_config(1, 16, 10));
    run(cache, random_qkv(8, 16, 1), shape);
    REQUIRE_THROWS_WITH(cache.make_room(3),
                        Catch::Contains("8 tokens in the cache and 3 new ones") &&
                            Catch::Contains("limited to 10"));
    REQUIRE(cache.length() == 8);
    REQUIRE_NOTHROW(run(cache, random_qkv(2, 16, 2), shape));
}

TEST_CASE("sequences of a batch get what each gets alone", "[attention]") {
    const AttentionShape shape{2 * 32, 2};
    const TransformerConfig config = shape_config(2, 32, 200);
    const std::vector<float> past_a = random_qkv(5, 64, 1), past_b = random_qkv(80, 64, 2);
    const std::vector<float> rows = random_qkv(4, 64, 3);  // three tokens of a, one of b
    KvCache a(config), b(config), a_alone(config), b_alone(config);
    for (KvCache* cache : {&a, &a_alone}) run(*cache, past_a, shape);
    for (KvCache* cache : {&b, &b_alone}) run(*cache, past_b, shape);

    a.make_room(3);
    b.make_room(1);
    const SequenceRows batch[] = {{&a, 0, 3}, {&b, 3, 1}};
    std::vector<float> out(4 * 64),
        scratch(static_cast<std::size_t>(2 * attention_scratch_size(batch)));
    run_team(2, [&](const Worker& worker) {
        append_keys_and_values(rows.data(), batch, shape, 0, worker);
        attend(rows.data(), batch, shape, 0, out.data(), scratch.data(), worker);
    });
    std::vector<float> expected = run(a_alone, some_rows(rows, 0, 3, 192), shape);
    const std::vector<float> expected_b = run(b_alone, some_rows(rows, 3, 1, 192), shape);
    expected.insert(expected.end(), expected_b.begin(), expected_b.end());
    REQUIRE(out == expected);
}

TEST_CASE("attention stays within its scratch memory, of a tree with many branches too",
          "[attention][tree]") {
    const AttentionShape shape{4 * 16, 4};
    const TransformerConfig config = shape_config(4, 16, 64);
    KvCache a(config), b(config);
    run(b, random_qkv(20, 64, 1), shape);
    constexpr int guesses = 150;  // all of them after the same text: one position more
    const std::vector<int> parents(guesses, -1);
    const std::vector<float> rows = random_qkv(1 + guesses, 64, 2);
    a.make_room(1), b.make_room(1), b.stage_rows(guesses);
    const SequenceRows batch[] = {{&a, 0, 1}, {&b, 1, guesses, parents}};
    const auto own = static_cast<std::size_t>(4 * attention_scratch_size(batch));
    std::vector<float> out((1 + guesses) * 64), scratch(own + 20000, -7.0f);
    run_team(4, [&](const Worker& worker) {
        append_keys_and_values(rows.data(), batch, shape, 0, worker);
        attend(rows.data(), batch, shape, 0, out.data(), scratch.data(), worker);
    });
    const auto after = scratch.begin() + static_cast<std::ptrdiff_t>(own);
    CHECK(std::count(after, scratch.end(), -7.0f) == 20000);
}
