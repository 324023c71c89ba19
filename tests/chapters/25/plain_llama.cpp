// The plain Llama against the library's, bit for bit.
#include "chapters/25_todays_models/plain_llama.hpp"

#include "chapters/25_todays_models/load_plain.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/model/model_config.hpp"
#include "tests/catch.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

WeightSource weights_of(const std::string& folder) {
    return [=](const std::string& name, const Shape& shape) {
        return Safetensors::open_directory(folder).read_weight(name, shape);
    };
}

// Logits of all positions: how many differ in a bit.
long differing(const TransformerConfig& config, const WeightSource& source, int tokens) {
    const PlainLlama plain = plain_llama(config, source);
    Transformer fast(config, source, {2});
    std::vector<int> ids;
    Rng rng(3);
    for (int t = 0; t < tokens; ++t)
        ids.push_back(to_int(rng.below(static_cast<std::uint32_t>(config.vocab_size))));
    KvCache cache(config);
    const Logits logits = fast.forward_all(cache, ids);
    const Rows x = plain.forward(ids);
    long different = 0;
    for (std::size_t t = 0; t < ids.size(); ++t) {
        const Row s = plain.logits(x[t]);
        const std::span<const float> row = logits.row(static_cast<std::int64_t>(t));
        for (std::size_t v = 0; v < s.size(); ++v) different += !(s[v] == row[v]);
    }
    return different;
}

}  // namespace

TEST_CASE("the plain Llama gives the library's logits, bit for bit") {
    // Grouped heads, tied and not, a window, heads of another size than C / H.
    for (const std::string name : {"tiny-llama", "tiny-smollm2", "tiny-mistral"}) {
        const std::string folder = "tests/data/" + name;
        INFO(name);
        CHECK(differing(read_model_config(folder), weights_of(folder), 60) == 0);
    }
}

TEST_CASE("odd sizes too: heads of 6 components, rows that fill no register") {
    for (const auto& [heads, kv_heads, channels, inner] :
         {std::array{3, 1, 18, 10}, std::array{4, 4, 40, 33}, std::array{6, 2, 36, 1100}}) {
        const TransformerConfig config = llama_config(2, heads, kv_heads, channels, inner, 80, 101);
        const WeightSource calm = random_weights(config, 9);
        const WeightSource loud = [&](const std::string& name, const Shape& shape) {
            Tensor w = calm(name, shape);
            for (float& v : w.values()) v *= shape.size() == 1 ? 1.0f : 12.0f;
            return w;
        };
        CHECK(differing(config, loud, 70) == 0);
    }
}

TEST_CASE("each part that is given back makes other logits") {
    const TransformerConfig config = read_model_config("tests/data/tiny-llama");
    const PlainLlama llama = plain_llama(config, weights_of("tests/data/tiny-llama"));
    const std::vector<int> ids = {5, 6, 7, 8};
    const Row before = llama.logits(llama.forward(ids).back());
    for (const auto& part :
         {&PlainLlama::layer_norm, &PlainLlama::no_rotation, &PlainLlama::no_gate}) {
        PlainLlama other = llama;
        other.*part = true;
        CHECK(other.logits(other.forward(ids).back()) != before);
    }
    // Without positions the order of the earlier tokens says nothing to the last one's first layer.
    PlainLlama blind = llama;
    blind.no_rotation = true, blind.layers = 1;
    const Row a = blind.logits(blind.forward({5, 6, 7, 8}).back()),
              b = blind.logits(blind.forward({7, 5, 6, 8}).back());
    for (std::size_t v = 0; v < a.size(); ++v) CHECK(std::abs(a[v] - b[v]) <= 1e-4f);
}

TEST_CASE("what the plain code doesn't have is refused") {
    for (const std::string name : {"tiny-llama3", "tiny-qwen2", "tiny-llama-bf16-sharded"}) {
        const std::string folder = "tests/data/" + name;
        CHECK(test::contains(
            test::error_of([&] { plain_llama(read_model_config(folder), weights_of(folder)); }),
            "plain llama: expected a llama or mistral without biases"));
    }
    const PlainLlama llama = plain_llama(read_model_config("tests/data/tiny-llama"),
                                         weights_of("tests/data/tiny-llama"));
    CHECK(
        test::contains(test::error_of([&] { llama.forward({}); }), "0 tokens, expected 1 to 128"));
    CHECK(test::contains(test::error_of([&] { llama.forward({97}); }), "ids below 97"));
}
