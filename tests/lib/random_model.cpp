// Models with random weights: the right numbers whatever the order, and directories that
// open like any other.
#include "tests/catch.hpp"

#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/math.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/machine/files.hpp"
#include "tests/lib/logits.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

TransformerConfig small() {
    TransformerConfig config = preset_config("sketch");
    config.vocab_size = 600;
    config.n_positions = 32;
    config.bos_token_id = 599;
    config.eos_token_ids = {599};
    return config;
}

}  // namespace

TEST_CASE("the presets have the published numbers of weights", "[random_model]") {
    const struct {
        const char* name;
        std::int64_t weights;
    } published[] = {{"gpt2", 124439808},
                     {"gpt2-medium", 354823168},
                     {"gpt2-large", 774030080},
                     {"gpt2-xl", 1557611200}};
    for (const auto& [name, weights] : published) {
        const TransformerConfig config = preset_config(name);
        REQUIRE_NOTHROW(check_config(config, name));
        REQUIRE(parameter_count(config) == weights);
    }
    REQUIRE(parameter_count(preset_config("storyteller")) ==
            parameter_count(read_model_config("data/models/storyteller")));
    REQUIRE(parameter_count(preset_config("sketch")) ==
            parameter_count(read_model_config("data/models/sketch")));
    REQUIRE_THROWS_WITH(preset_config("gpt3"),
                        Catch::Contains("'gpt3' is unknown, expected gpt2,"));
}

TEST_CASE("the list of weights adds up to the number of weights", "[random_model]") {
    for (const bool tied : {true, false}) {
        TransformerConfig config = small();
        config.tie_word_embeddings = tied;
        config.n_inner = 100;
        std::int64_t sum = 0;
        for (const WeightShape& w : weight_shapes(config)) sum += element_count(w.shape);
        REQUIRE(sum == parameter_count(config));
    }
}

TEST_CASE("random weights have GPT-2's mean and deviation", "[random_model]") {
    const TransformerConfig config = small();
    const WeightSource source = random_weights(config, 3);
    for (const auto& [name, shape] : weight_shapes(config)) {
        const Tensor w = source(name, shape);
        double sum = 0, squares = 0;
        for (const float v : w.values()) sum += v, squares += static_cast<double>(v) * v;
        const double n = static_cast<double>(w.size()), mean = sum / n,
                     deviation = std::sqrt(squares / n - mean * mean);
        double expected = name == "wpe.weight"              ? 0.01
                          : name.ends_with("c_proj.weight") ? 0.02 / std::sqrt(4.0)
                                                            : 0.02;
        const bool constant = shape.size() == 1;
        if (constant) expected = 0;
        INFO(name);
        // Six standard errors of n normal numbers: one false alarm in 10^8.
        REQUIRE(std::abs(mean - (constant && name.ends_with("weight") ? 1 : 0)) <=
                6 * expected / std::sqrt(n));
        REQUIRE(std::abs(deviation - expected) <= 6 * expected / std::sqrt(2 * n));
    }
}

TEST_CASE(
    "a weight is the same bits in whatever pieces it is asked for; another seed or name gives "
    "others",
    "[random_model]") {
    const TransformerConfig config = small();
    const std::string name = "h.1.mlp.c_fc.weight";
    std::vector<float> whole(20000), part(20000);
    fill_random_weight(config, 5, name, 0, whole);
    for (const std::size_t piece : {1000u, 4096u, 4097u, 19999u}) {
        for (std::size_t i = 0; i < whole.size(); i += piece) {
            const auto size = std::min(piece, whole.size() - i);
            fill_random_weight(config, 5, name, static_cast<std::int64_t>(i),
                               std::span(part).subspan(i, size));
        }
        REQUIRE(part == whole);
    }
    fill_random_weight(config, 6, name, 0, part);
    REQUIRE(part != whole);
    fill_random_weight(config, 5, "h.0.mlp.c_fc.weight", 0, part);
    REQUIRE(part != whole);
    // The first numbers, for ever: xoshiro256** and the polar method, times 0.02.
    REQUIRE(whole[0] != whole[4096]);
}

TEST_CASE(
    "a written model opens and computes what the same weights in memory compute, in all three "
    "types",
    "[random_model]") {
    const std::vector<int> ids = {65, 300, 599, 0, 17};
    for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
        const test::TemporaryFolder folder;
        write_random_model(folder.path(), small(), {7, type});
        Model model = load_model(folder.path());
        REQUIRE(model.tokenizer.vocab_size() == 600);
        REQUIRE(model.config().eos_token_ids == std::vector<int>{599});
        REQUIRE(weight_type_named(model.config().torch_dtype) == type);
        const WeightSource source = random_weights(small(), 7);
        Transformer in_memory(small(), [&](const std::string& name, const Shape& shape) {
            Tensor w = source(name, shape);
            for (float& v : w.values()) {
                if (type == WeightType::f16) v = from_f16(to_f16(v));
                if (type == WeightType::bf16) v = from_bf16(to_bf16(v));
            }
            return w;
        });
        REQUIRE(test::all_logits(model.transformer, ids) == test::all_logits(in_memory, ids));
    }
}

TEST_CASE("a random model takes over a tokenizer, if it fits", "[random_model]") {
    const test::TemporaryFolder folder;
    TransformerConfig config = small();
    REQUIRE_THROWS_WITH(
        write_random_model(folder.path(), config, {.tokenizer = "data/models/sketch"}),
        Catch::Contains("the tokenizer has 8192 tokens, expected at most 600"));
    config.vocab_size = 9000;
    write_random_model(folder.path(), config, {.tokenizer = "data/models/sketch"});
    const Model model = load_model(folder.path());
    REQUIRE(model.tokenizer.vocab_size() == 8192);
    REQUIRE(model.config().vocab_size == 9000);
    REQUIRE(model.config().eos_token_ids == std::vector<int>{model.tokenizer.eos_id()});
}

TEST_CASE(
    "a model that is there is not overwritten unasked, and nothing stands in for one that failed",
    "[random_model]") {
    const test::TemporaryFolder folder;
    write_random_model(folder.path(), small(), {1});
    const std::string before = read_file(folder.path() + "/model.safetensors");
    REQUIRE_THROWS_WITH(write_random_model(folder.path(), small(), {2}),
                        Catch::Contains("holds a model already"));
    REQUIRE(read_file(folder.path() + "/model.safetensors") == before);
    write_random_model(folder.path(), small(), {2, WeightType::f32, "", true});
    REQUIRE(read_file(folder.path() + "/model.safetensors") != before);

    TransformerConfig huge = small();
    huge.n_head = 1;
    huge.n_embd = 1 << 24;
    huge.n_layer = 1 << 24;
    huge.n_inner = 1 << 24;
    REQUIRE_THROWS_WITH(write_random_model(folder.path() + "/huge", huge),
                        Catch::Contains("more than 2^40 weights"));
    REQUIRE_FALSE(file_exists(folder.path() + "/huge/config.json"));
}

TEST_CASE(
    "the babble tokenizer has as many different tokens as asked for, and spells any text by bytes",
    "[random_model]") {
    REQUIRE_THROWS_WITH(babble_tokenizer(256), Catch::Contains("expected at least 257"));
    for (const int size : {257, 258, 600, 50257}) {
        const Tokenizer tokenizer =
            babble_tokenizer(size);  // throws on a token that is there twice
        REQUIRE(tokenizer.vocab_size() == size);
        REQUIRE(tokenizer.eos_id() == size - 1);
        const std::string text = "Caf\xc3\xa9 bado <|endoftext|>";
        REQUIRE(tokenizer.encode(text).size() == text.size());
        REQUIRE(tokenizer.decode(tokenizer.encode(text)) == text);
    }
}

TEST_CASE(
    "safetensors written piece by piece are the same file, and an F16 that would be infinite "
    "leaves none",
    "[safetensors]") {
    const test::TemporaryFolder folder;
    std::vector<float> values(1500000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000) / 8;
    const Shape shape = {1500, 1000};
    const auto fill = [&](std::int64_t first, std::span<float> part) {
        std::copy_n(values.begin() + first, part.size(), part.begin());
    };
    for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
        write_safetensors(folder.path() + "/whole", {{"w", shape, values, type}});
        write_safetensors(folder.path() + "/pieces", {{"w", shape, {}, type, fill}});
        REQUIRE(read_file(folder.path() + "/whole") == read_file(folder.path() + "/pieces"));
    }
    values.back() = 70000;
    REQUIRE_THROWS_WITH(
        write_safetensors(folder.path() + "/large", {{"w", shape, {}, WeightType::f16, fill}}),
        Catch::Contains("expected less than 65520"));
    REQUIRE_FALSE(file_exists(folder.path() + "/large"));
}
