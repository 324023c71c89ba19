// config.json of today's models: what each family assumes where a key is absent, and what is
// refused, by name.
#include "tests/catch.hpp"

#include <functional>
#include <string>
#include <vector>

#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/json/json.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/transformer.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;
using test::TemporaryFolder;

namespace {

using Change = std::function<void(Json&)>;

// The configuration of a small model after a change to its file.
TransformerConfig changed(const std::string& name, const Change& change) {
    const TemporaryFolder folder;
    Json json = read_json("tests/data/" + name + "/config.json");
    change(json);
    return read_config_file(folder.write("config.json", json_text(json)));
}

std::string complaint(const std::string& name, const Change& change) {
    return error_of([&] { changed(name, change); });
}

std::vector<int> windows(const TransformerConfig& config) {
    std::vector<int> result;
    for (const LayerKind& kind : config.architecture.layers) result.push_back(kind.window);
    return result;
}

}  // namespace

TEST_CASE("each family has its own defaults where a key is absent", "[config]") {
    const auto without = [](const char* key) { return [=](Json& j) { j.erase(key); }; };
    CHECK(changed("tiny-llama", without("num_key_value_heads")).kv_heads() == 4);
    CHECK(contains(complaint("tiny-qwen2", without("num_key_value_heads")),
                   "num_key_value_heads is 32, expected a divisor of num_attention_heads, 4"));
    CHECK(changed("tiny-qwen2", [](Json& j) { j["num_key_value_heads"] = nullptr; }).kv_heads() ==
          4);
    CHECK(changed("tiny-qwen3", without("head_dim")).head_size() == 128);
    CHECK(changed("tiny-gemma3", without("head_dim")).head_size() == 256);
    CHECK(changed("tiny-mistral", without("head_dim")).head_size() == 16);
    CHECK(changed("tiny-mistral", without("sliding_window")).layer(0).window == 4096);
    CHECK(changed("tiny-mistral", [](Json& j) { j["sliding_window"] = nullptr; }).layer(0).window ==
          0);
    CHECK(changed("tiny-phi3", without("sliding_window")).layer(0).window == 0);
    CHECK_FALSE(changed("tiny-llama3", without("tie_word_embeddings")).tie_word_embeddings);
    CHECK(changed("tiny-smollm3", without("tie_word_embeddings")).tie_word_embeddings);
    CHECK_FALSE(changed("tiny-phi3", without("tie_word_embeddings")).tie_word_embeddings);
    CHECK(changed("tiny-smollm3",
                  [](Json& j) { j.erase("use_sliding_window"), j["sliding_window"] = 16; })
              .layer(0)
              .window == 0);
    CHECK(changed("tiny-llama", without("rope_theta")).architecture.rotaries[0].theta == 1e4);
    CHECK(changed("tiny-smollm3", without("rope_theta")).architecture.rotaries[0].theta == 2e6);
    CHECK(changed("tiny-llama", without("rms_norm_eps")).layer_norm_epsilon == 1e-6f);
    CHECK(changed("tiny-phi3", without("rms_norm_eps")).layer_norm_epsilon == 1e-5f);
}

TEST_CASE("windows and rotary positions are in the layers that the family says", "[config]") {
    CHECK(windows(read_config_file("tests/data/tiny-qwen2/config.json")) == std::vector<int>{0, 0});
    CHECK(windows(read_config_file("tests/data/tiny-qwen2-window/config.json")) ==
          std::vector<int>{0, 0, 16, 16});
    CHECK(windows(read_config_file("tests/data/tiny-gpt-neo/config.json")) ==
          std::vector<int>{0, 16, 0, 16});
    CHECK(contains(complaint("tiny-gpt-neo", [](Json& j) { j["attention_types"][0][1] = 3; }),
                   "attention_types is not a list of [[\"global\", \"local\"], count] for 4"));
    // From which layer on: from the first.
    CHECK(windows(changed("tiny-qwen2-window", [](Json& j) {
              j.erase("layer_types");
              j["max_window_layers"] = 0;
          })) == std::vector<int>{16, 16, 16, 16});
    CHECK(windows(read_config_file("tests/data/tiny-gemma3/config.json")) ==
          std::vector<int>{16, 16, 16, 16, 16, 0, 16});
    CHECK(read_config_file("tests/data/tiny-gemma3/config.json").layer(5).rotary == 0);
    CHECK(read_config_file("tests/data/tiny-gemma3/config.json").layer(6).rotary == 1);
    const TransformerConfig smollm3 =
        changed("tiny-smollm3", [](Json& j) { j.erase("no_rope_layers"); });
    CHECK(smollm3.layer(2).rotary == 0);
    CHECK(smollm3.layer(3).rotary == -1);
}

TEST_CASE("a configuration is written as it was read", "[config]") {
    for (const std::string name : {"tiny-gpt-neo", "tiny-gpt-neox", "tiny-phi3-longrope",
                                   "tiny-qwen3-moe", "tiny-mixtral", "tiny-gpt-oss"}) {
        const TransformerConfig config = read_model_config("tests/data/" + name);
        const TemporaryFolder folder;
        write_model_config(folder.path(), config);
        INFO(name);
        CHECK(read_model_config(folder.path()) == config);
    }
    for (const std::string name :
         {"tiny-llama", "tiny-llama-bf16-sharded", "tiny-llama3", "tiny-qwen2", "tiny-qwen2-window",
          "tiny-qwen3", "tiny-smollm2", "tiny-smollm3", "tiny-gemma3", "tiny-gemma3-types",
          "tiny-mistral", "tiny-phi3", "tiny-olmo2"}) {
        const TransformerConfig config = read_model_config("tests/data/" + name);
        const TemporaryFolder folder;
        write_model_config(folder.path(), config);
        INFO(name);
        CHECK(read_model_config(folder.path()) == config);
        CHECK(config.eos_token_ids.size() == 2);  // generation_config.json's list goes first
    }
}

TEST_CASE("what is not computed is refused by name, with what is supported", "[config]") {
    const auto of_type = [](const char* type) {
        return complaint("tiny-llama", [=](Json& j) { j["model_type"] = type; });
    };
    CHECK(contains(of_type("qwen2_moe"),
                   "config.json: model_type is qwen2_moe, a mixture of experts; "
                   "expected gpt2, llama, mistral, qwen2, qwen3, gemma3_text, gemma2, "
                   "smollm3, olmo2, olmo3, granite, phi3, gpt_neo, "
                   "qwen3_moe, mixtral, gpt_oss or gpt_neox"));
    CHECK(contains(of_type("qwen2_vl"), "qwen2_vl, a model that reads pictures; expected"));
    CHECK(contains(of_type("mamba"), "model_type is mamba; expected gpt2"));
    CHECK(contains(
        complaint("tiny-llama",
                  [](Json& j) { j["model_type"] = "own", j["auto_map"] = Json::object(); }),
        "trust_remote_code"));
    const auto scaled = [](const char* type) {
        return complaint("tiny-llama3", [=](Json& j) { j["rope_scaling"]["rope_type"] = type; });
    };
    CHECK(contains(scaled("dynamic"),
                   "rope_type of the rotary positions is dynamic, expected default, linear, "
                   "llama3, yarn or longrope"));
    CHECK(contains(scaled("longrope"), "short_factor is"));
    CHECK(contains(
        complaint("tiny-phi3-longrope", [](Json& j) { j["rope_scaling"]["long_factor"].erase(0); }),
        "longrope has 5 short or long factors, expected 6"));
    CHECK(contains(complaint("tiny-gemma3", [](Json& j) { j["final_logit_softcapping"] = 30.0; }),
                   "final_logit_softcapping is"));
    CHECK(
        contains(complaint("tiny-gemma3", [](Json& j) { j["use_bidirectional_attention"] = true; }),
                 "use_bidirectional_attention"));
    CHECK(contains(complaint("tiny-llama", [](Json& j) { j["hidden_act"] = "relu"; }),
                   "hidden_act is relu, expected silu"));
    CHECK(contains(complaint("tiny-llama",
                             [](Json& j) {
                                 j["quantization_config"] = Json::object({{"a", 1}});
                             }),
                   "quantization_config is there"));
    CHECK(contains(complaint("tiny-llama",
                             [](Json& j) {
                                 j["vision_config"] = Json::object({{"a", 1}});
                             }),
                   "reads pictures"));
    CHECK(contains(complaint("tiny-llama", [](Json& j) { j["num_local_experts"] = 8; }),
                   "num_local_experts is there, expected a dense llama"));
}

TEST_CASE("Gemma 3 with pictures has the settings that its text_config leaves out", "[config]") {
    const TransformerConfig config = read_config_text(
        R"({"model_type": "gemma3", "eos_token_id": [1, 106], "vision_config": {"a": 1},
            "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
            "model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}})",
        "gemma-3-4b");
    CHECK(config.vocab_size == 262208);
    CHECK(config.n_positions == 131072);
    CHECK(config.n_head == 8);
    CHECK(config.kv_heads() == 4);
    CHECK(config.head_size() == 256);
    CHECK(config.eos_token_ids == std::vector<int>{1, 106});
    CHECK(config.tie_word_embeddings);
    CHECK(config.layer(0).window == 1024);
    CHECK(config.layer(5).window == 0);
    CHECK(config.architecture.rotaries[0].factor == 8);
    CHECK(config.architecture.rotaries[1].scaling == RotaryScaling::none);
}

TEST_CASE("configurations that contradict themselves are one line each", "[config]") {
    const auto llama = [](const char* key, Json value) {
        return complaint("tiny-llama", [=](Json& j) { j[key] = value; });
    };
    CHECK(
        contains(llama("num_key_value_heads", 3), "num_key_value_heads is 3, expected a divisor"));
    CHECK(contains(llama("hidden_size", 65), "hidden_size is 65, expected a multiple of"));
    CHECK(contains(llama("hidden_size", "64"), "hidden_size is"));
    CHECK(
        contains(llama("max_position_embeddings", nullptr), "max_position_embeddings is missing"));
    CHECK(contains(llama("rope_theta", -3),
                   "rope_theta is the integer -3, expected a positive number"));
    CHECK(contains(llama("rope_theta", "x"), "rope_theta is"));
    CHECK(contains(llama("rms_norm_eps", 0), "rms_norm_eps"));
    CHECK(contains(llama("head_dim", 15), "make"));  // 15 components don't pair
    CHECK(contains(llama("rope_scaling", 5), "rope_scaling is"));
    CHECK(contains(llama("num_hidden_layers", 1 << 20), "num_hidden_layers is 1048576"));
    for (const char* key : {"factor", "low_freq_factor", "high_freq_factor"})
        CHECK(contains(complaint("tiny-llama3", [=](Json& j) { j["rope_scaling"].erase(key); }),
                       std::string("the rotary positions lack ") + key));
    CHECK(contains(complaint("tiny-gemma3-types", [](Json& j) { j["layer_types"].erase(0); }),
                   "a list of 4"));
    CHECK(contains(
        complaint("tiny-gemma3-types", [](Json& j) { j["layer_types"][1] = "chunked_attention"; }),
        "chunked_attention"));
    CHECK(contains(complaint("tiny-smollm3",
                             [](Json& j) {
                                 j["no_rope_layers"] = {1, 1};
                             }),
                   "no_rope_layers"));
    CHECK(contains(complaint("tiny-phi3", [](Json& j) { j["partial_rotary_factor"] = 0.01; }),
                   "partial_rotary_factor"));
}

TEST_CASE("weights that config.json doesn't speak of are noticed", "[config]") {
    // With attention_bias the file has biases; without, they would be passed over.
    const TemporaryFolder folder;
    write_random_model(folder.path(), llama_config(1, 2, 1, 32, 48, 64, 300), {});
    CHECK(error_of([&] { load_transformer(folder.path()); }) == "");
    Json json = read_json(folder.file("config.json"));
    json["num_hidden_layers"] = 2;
    folder.write("config.json", json_text(json));
    CHECK(contains(error_of([&] { load_transformer(folder.path()); }),
                   "has no tensor \"model.layers.1.input_layernorm.weight\""));
    json["num_hidden_layers"] = 1, json["attention_bias"] = true;
    folder.write("config.json", json_text(json));
    CHECK(contains(error_of([&] { load_transformer(folder.path()); }),
                   "has no tensor \"model.layers.0.self_attn.q_proj.bias\""));
    const TemporaryFolder biased;
    TransformerConfig config = llama_config(1, 2, 1, 32, 48, 64, 300);
    config.architecture.qkv_bias = config.architecture.attention_output_bias = true;
    write_random_model(biased.path(), config, {});
    json["attention_bias"] = false;
    biased.write("config.json", json_text(json));
    CHECK(contains(error_of([&] { load_transformer(biased.path()); }),
                   "the weights have \"model.layers.0.self_attn.k_proj.bias\""));
}
