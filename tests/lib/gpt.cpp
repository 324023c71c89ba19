// The whole network: against transformers' logits, and bit for bit against itself in
// every order of work.
#include "tests/catch.hpp"

#include <cmath>
#include <fstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "lib/core/error.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"
#include "lib/model/transformer.hpp"
#include "lib/model/transformer_network.hpp"

using namespace tbt;

namespace {

TransformerConfig small_config(int positions = 96) {
    TransformerConfig config;
    config.vocab_size = 301;
    config.n_positions = positions;
    config.n_embd = 48;
    config.n_layer = 3;
    config.n_head = 3;
    config.n_inner = 4 * 48;
    return config;
}

WeightSource random_weights(std::uint64_t seed) {
    return [seed](const std::string& name, const Shape& shape) {
        std::uint64_t stream = 0;
        for (const char c : name) stream = stream * 131 + static_cast<unsigned char>(c);
        Rng rng(seed, stream);
        Tensor t(shape);
        for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.25);
        return t;
    };
}

std::vector<int> random_ids(int n, int vocab, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<int> ids;
    for (int i = 0; i < n; ++i)
        ids.push_back(static_cast<int>(rng.below(static_cast<std::uint64_t>(vocab))));
    return ids;
}

std::vector<float> all_logits(Transformer& gpt, const std::vector<int>& ids) {
    KvCache cache(gpt.config());
    const Logits logits = gpt.forward_all(cache, ids);
    return {logits.values.begin(), logits.values.end()};
}

}  // namespace

TEST_CASE("the logits of transformers come out for its reference model", "[gpt][golden]") {
    Transformer gpt = load_transformer("tests/data/tiny-gpt2");
    const auto golden = nlohmann::json::parse(std::ifstream("tests/data/tiny-gpt2/golden.json"));
    REQUIRE(golden["forward"].size() >= 5);
    for (const auto& example : golden["forward"]) {
        const auto ids = example["ids"].get<std::vector<int>>();
        const auto expected = example["logits"].get<std::vector<std::vector<float>>>();
        KvCache cache(gpt.config());
        const Logits logits = gpt.forward_all(cache, ids);
        REQUIRE(logits.rows == static_cast<std::int64_t>(ids.size()));
        for (std::size_t t = 0; t < ids.size(); ++t) {
            for (std::size_t v = 0; v < expected[t].size(); ++v) {
                // Both sides are float sums over 64 to 256 terms;
                // transformers itself is 4e-6 from double.
                REQUIRE(std::abs(logits.row(static_cast<std::int64_t>(t))[v] - expected[t][v]) <=
                        2e-5f);
            }
        }
    }
}

TEST_CASE("cached and uncached logits are the same bits at every position of the context",
          "[gpt]") {
    Transformer gpt(small_config(), random_weights(1));
    const std::vector<int> ids = random_ids(96, 301, 2);
    const std::vector<float> together = all_logits(gpt, ids);
    KvCache cache(gpt.config());
    for (std::size_t t = 0; t < ids.size(); ++t) {
        const std::span<const float> cached = gpt.forward(cache, {&ids[t], 1});
        REQUIRE(std::equal(cached.begin(), cached.end(),
                           together.begin() + static_cast<std::ptrdiff_t>(t * 301)));
        KvCache fresh(gpt.config());
        const std::span<const float> uncached = gpt.forward(fresh, {ids.data(), t + 1});
        REQUIRE(std::equal(uncached.begin(), uncached.end(),
                           together.begin() + static_cast<std::ptrdiff_t>(t * 301)));
    }
    REQUIRE(cache.length() == 96);
}

TEST_CASE("logits have the same bits in pieces of any size, for each type of weights", "[gpt]") {
    for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
        Transformer gpt(small_config(), random_weights(5), {1, type});
        const std::vector<int> ids = random_ids(61, 301, 3);
        const std::vector<float> together = all_logits(gpt, ids);
        for (const std::size_t piece : {2u, 3u, 4u, 5u, 7u, 8u, 13u, 33u}) {
            KvCache cache(gpt.config());
            std::vector<float> logits;
            for (std::size_t t = 0; t < ids.size(); t += piece) {
                const Logits part =
                    gpt.forward_all(cache, {ids.data() + t, std::min(piece, ids.size() - t)});
                logits.insert(logits.end(), part.values.begin(), part.values.end());
            }
            REQUIRE(logits == together);
        }
    }
}

TEST_CASE("logits have the same bits with one thread or several", "[gpt]") {
    const std::vector<int> ids = random_ids(40, 301, 4);
    Transformer one(small_config(), random_weights(6), {1});
    const std::vector<float> reference = all_logits(one, ids);
    for (const int threads : {2, 3, 4, 7}) {
        Transformer several(small_config(), random_weights(6), {threads});
        REQUIRE(all_logits(several, ids) == reference);
        KvCache a(one.config()), b(one.config());
        for (const int id : {5, 6, 7}) {
            const std::span<const float> x = one.forward(a, {&id, 1}),
                                         y = several.forward(b, {&id, 1});
            REQUIRE(std::equal(x.begin(), x.end(), y.begin()));
        }
    }
}

TEST_CASE("a batch of sequences gets what each gets alone, forks included", "[gpt]") {
    Transformer gpt(small_config(), random_weights(8), {2});
    const std::vector<int> prompt = random_ids(70, 301, 5);
    KvCache a(gpt.config());
    gpt.forward(a, prompt);
    KvCache b = a, c(gpt.config());
    const std::vector<int> for_a = {1, 2, 3}, for_b = {4}, for_c = random_ids(20, 301, 6);
    const Step steps[] = {{&a, for_a, true}, {&b, for_b}, {&c, for_c}};
    const Logits batch = gpt.forward(steps);
    REQUIRE(batch.rows == 5);
    const std::vector<float> got(batch.values.begin(), batch.values.end());

    std::vector<float> expected;
    const auto append = [&](std::span<const float> rows) {
        expected.insert(expected.end(), rows.begin(), rows.end());
    };
    KvCache alone(gpt.config());
    gpt.forward(alone, prompt);
    append(gpt.forward_all(alone, for_a).values);
    alone.truncate(70);
    append(gpt.forward(alone, for_b));
    alone.clear();
    append(gpt.forward(alone, for_c));
    REQUIRE(got == expected);
    REQUIRE((a.length() == 73 && b.length() == 71 && c.length() == 20));
}

TEST_CASE("a forward pass refuses what it cannot do, and the cache stays usable", "[gpt]") {
    Transformer gpt(small_config(16), random_weights(9), {1});
    KvCache cache(gpt.config());
    const std::vector<int> fine = {1, 2, 3}, outside = {1, 301}, negative = {-1}, none, many(14, 1);
    gpt.forward(cache, fine);
    REQUIRE_THROWS_WITH(
        gpt.forward(cache, outside),
        Catch::Contains("301 is outside the vocabulary") && Catch::Contains("0 to 300"));
    REQUIRE_THROWS_WITH(gpt.forward(cache, negative), Catch::Contains("-1 is outside"));
    REQUIRE_THROWS_WITH(gpt.forward(cache, none), Catch::Contains("no tokens"));
    REQUIRE_THROWS_WITH(gpt.forward(cache, many), Catch::Contains("context is full"));
    REQUIRE(cache.length() == 3);
    const std::vector<float> expected = all_logits(gpt, {1, 2, 3, 4});
    const int next = 4;
    const std::span<const float> logits = gpt.forward(cache, {&next, 1});
    REQUIRE(std::equal(logits.begin(), logits.end(), expected.end() - 301));
}

TEST_CASE("16-bit weights compute what the same weights widened to float compute", "[gpt]") {
    // Weights that all three types can hold exactly: multiples of 1/64 below 2.
    const WeightSource source = [](const std::string& name, const Shape& shape) {
        Tensor t = random_weights(10)(name, shape);
        for (float& v : t.values()) v = std::round(v * 64) / 64;
        return t;
    };
    const std::vector<int> ids = random_ids(10, 301, 1);
    Transformer f32(small_config(), source), f16(small_config(), source, {0, WeightType::f16}),
        bf16(small_config(), source, {0, WeightType::bf16});
    const std::vector<float> reference = all_logits(f32, ids);
    REQUIRE(all_logits(f16, ids) == reference);
    REQUIRE(all_logits(bf16, ids) == reference);
    REQUIRE(f16.weight_bytes() < f32.weight_bytes());
}

TEST_CASE("weights kept as they are stored, in 16 bits, give the bits of weights widened to float",
          "[gpt][model]") {
    const auto directory = std::filesystem::path("data/models/storyteller");
    Transformer stored = load_transformer(directory),
                wide = load_transformer(directory, {0, WeightType::f32});
    CHECK(stored.weight_bytes() < wide.weight_bytes());
    std::vector<int> ids;
    for (int i = 0; i < 40; ++i) ids.push_back(i * 97 % stored.config().vocab_size);
    KvCache a(stored.config()), b(wide.config());
    for (std::size_t at = 0, count = 1; at < ids.size(); at += count++) {
        const auto piece = std::span<const int>(ids).subspan(at, std::min(count, ids.size() - at));
        const Logits x = stored.forward_all(a, piece), y = wide.forward_all(b, piece);
        CHECK(std::equal(x.values.begin(), x.values.end(), y.values.begin(), y.values.end()));
    }
}

TEST_CASE("where nothing was computed there is no row of logits", "[gpt]") {
    REQUIRE_THROWS_AS(Logits().row(0), Error);
}

TEST_CASE("a scratch buffer has room for a single number, and grows only when it must", "[gpt]") {
    GrowingBuffer buffer;
    REQUIRE(buffer.get(1) != nullptr);
    float* const eight = buffer.get(8);
    REQUIRE(buffer.get(3) == eight);
}
