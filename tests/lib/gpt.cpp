// The whole network: against transformers' logits, and bit for bit against itself in
// every order of work.
#include "tests/catch.hpp"

#include <cmath>
#include <fstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "lib/core/error.hpp"
#include "lib/files/model.hpp"
#include "lib/model/transformer_network.hpp"
#include "tests/lib/logits.hpp"

using namespace tbt;
using test::all_logits;
using test::random_ids;

namespace {

TransformerConfig small_config(int positions = 96) { return gpt_config(3, 3, 48, positions, 301); }

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
    const std::vector<float> got = test::copied(batch.values);

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
    const std::vector<float> expected = all_logits(gpt, std::vector{1, 2, 3, 4});
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

TEST_CASE("where nothing was computed there is no row of logits", "[gpt]") {
    REQUIRE_THROWS_AS(Logits().row(0), Error);
}

TEST_CASE("a scratch buffer has room for a single number, and grows only when it must", "[gpt]") {
    GrowingBuffer buffer;
    REQUIRE(buffer.get(1) != nullptr);
    float* const eight = buffer.get(8);
    REQUIRE(buffer.get(3) == eight);
}
