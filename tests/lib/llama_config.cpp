// config.json of today's models: what each family assumes where a key is absent, and what is
// refused, by name.
#include "tests/catch.hpp"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/json/json.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/transformer.hpp"
#include "tests/lib/changed_json.hpp"

using namespace tbt;
using test::Change;
using test::contains;
using test::error_of;
using test::Refused;
using test::TemporaryFolder;

namespace {

// The configuration of a small model after a change to its file.
TransformerConfig changed(const std::string& model, const Change& change = "{}") {
    return read_config_file(
        test::ChangedFile("tiny-" + model, "config.json", change).file("config.json"));
}

void refused(const char* model, const std::vector<Refused>& all) {
    test::check_refused(
        [&](const Change& change) { return error_of([&] { changed(model, change); }); }, all);
}

std::vector<int> windows(const TransformerConfig& config) {
    std::vector<int> result;
    for (const LayerKind& kind : config.architecture.layers) result.push_back(kind.window);
    return result;
}

}  // namespace

TEST_CASE("each family has its own defaults where a key is absent", "[config]") {
    // transformers' values for models with 64 channels and 32 heads, whose layers have a window if
    // the family has one.
    const struct {
        std::string name;
        int kv_heads, head_size;
        double epsilon, theta;
        bool tied;
        int window;
    } families[] = {
        {"llama", 32, 2, 1e-6, 1e4, false, 0},     {"mistral", 8, 2, 1e-6, 1e4, false, 4096},
        {"qwen2", 32, 2, 1e-6, 1e4, false, 4096},  {"qwen3", 32, 128, 1e-6, 1e4, false, 4096},
        {"gemma3", 4, 256, 1e-6, 1e6, true, 4096}, {"gemma2", 4, 256, 1e-6, 1e4, true, 4096},
        {"smollm3", 4, 2, 1e-6, 2e6, true, 0},     {"olmo2", 32, 2, 1e-5, 1e4, false, 0},
        {"olmo3", 32, 2, 1e-5, 1e4, false, 4096},  {"granite", 32, 2, 1e-6, 1e4, false, 0},
        {"phi3", 32, 2, 1e-5, 1e4, false, 0},      {"qwen3-moe", 4, 2, 1e-6, 1e4, false, 4096},
        {"mixtral", 8, 2, 1e-5, 1e6, false, 0},    {"gpt-oss", 8, 64, 1e-5, 150000, false, 128}};
    for (const auto& f : families) {
        CAPTURE(f.name);
        const TransformerConfig config = changed(f.name, [](Json& j) {
            for (const char* key :
                 {"num_key_value_heads", "head_dim", "rms_norm_eps", "rope_theta",
                  "tie_word_embeddings", "sliding_window", "layer_types", "partial_rotary_factor"})
                j.erase(key);
            j["num_attention_heads"] = 32, j["use_sliding_window"] = true;
            j["max_window_layers"] = 0;
        });
        CHECK(config.kv_heads() == f.kv_heads);
        CHECK(config.head_size() == f.head_size);
        CHECK(config.layer_norm_epsilon == static_cast<float>(f.epsilon));
        CHECK(config.architecture.rotaries[0].theta == f.theta);
        CHECK(config.tie_word_embeddings == f.tied);
        CHECK(config.layer(0).window == f.window);
    }
    CHECK(changed("qwen2", R"({"num_key_value_heads": null})").kv_heads() == 4);
    CHECK(changed("mistral", R"({"sliding_window": null})").layer(0).window == 0);
    const TransformerConfig smollm3 = changed(
        "smollm3", [](Json& j) { j.erase("use_sliding_window"), j["sliding_window"] = 16; });
    CHECK(smollm3.layer(0).window == 0);
}

TEST_CASE("a setting that config.json leaves out has transformers' value", "[config]") {
    const auto without = [](const std::string& model, const char* key) {
        return changed(model, [=](Json& j) {
            j.erase(key);
            if (j["rope_scaling"].is_object()) j["rope_scaling"].erase(key);
        });
    };
    const auto architecture = [&](const std::string& model, const char* key) {
        return without(model, key).architecture;
    };
    CHECK(architecture("granite", "embedding_multiplier").embedding_scale == 1);
    CHECK(architecture("granite", "residual_multiplier").residual_scale == 1);
    CHECK(architecture("granite", "logits_scaling").logit_scale == 1);
    CHECK(architecture("granite", "attention_multiplier").score_scalar == 1);
    CHECK(without("granite", "torch_dtype").torch_dtype == "float32");
    CHECK(architecture("gemma2", "query_pre_attn_scalar").score_scalar == 256);
    CHECK(architecture("gemma2", "attn_logit_softcapping").score_cap == 50);
    CHECK(architecture("gemma2", "final_logit_softcapping").logit_cap == 30);
    CHECK(architecture("gemma3", "rope_local_base_freq").rotaries[1].theta == 1e4);
    CHECK(architecture("llama", "partial_rotary_factor").rotary_size == 16);
    CHECK_FALSE(architecture("llama", "attention_bias").qkv_bias);
    CHECK_FALSE(architecture("llama", "mlp_bias").mlp_bias);
    CHECK(architecture("qwen3-moe", "num_experts").experts == 128);
    CHECK(architecture("qwen3-moe", "num_experts_per_tok").experts_per_token == 8);
    CHECK(architecture("qwen3-moe", "moe_intermediate_size").expert_inner == 768);
    CHECK_FALSE(architecture("qwen3-moe", "norm_topk_prob").experts_sum_to_one);
    CHECK(without("qwen3-moe", "mlp_only_layers").layer(1).experts);
    CHECK(without("qwen3-moe", "decoder_sparse_step").layer(0).experts);
    CHECK(architecture("mixtral", "num_local_experts").experts == 8);
    CHECK(architecture("mixtral", "num_experts_per_tok").experts_per_token == 2);
    CHECK(architecture("gpt-oss", "num_local_experts").experts == 128);
    CHECK(architecture("gpt-oss", "num_experts_per_tok").experts_per_token == 4);
    CHECK(architecture("gpt-oss", "swiglu_limit").activation_limit == 7);
    CHECK(architecture("gpt-oss", "attention_bias").qkv_bias);
    CHECK(without("gpt-neo", "layer_norm_epsilon").layer_norm_epsilon == 1e-5f);
    CHECK(without("gpt-neo", "intermediate_size").n_inner == 256);
    CHECK(without("gpt-neo", "window_size").layer(1).window == 256);
    CHECK(without("gpt-neo", "tie_word_embeddings").tie_word_embeddings);
    CHECK(without("gpt-neox", "layer_norm_eps").layer_norm_epsilon == 1e-5f);
    CHECK(without("gpt-neox", "intermediate_size").n_inner == 256);
    CHECK(architecture("gpt-neox", "hidden_act").activation == Activation::gelu_erf);
    CHECK(architecture("gpt-neox", "rotary_pct").rotary_size == 4);
    CHECK(architecture("gpt-neox", "rotary_emb_base").rotaries[0].theta == 1e4);
    CHECK(architecture("gpt-neox", "attention_bias").qkv_bias);
    CHECK(architecture("gpt-neox", "use_parallel_residual").parallel);
    CHECK_FALSE(without("gpt-neox", "tie_word_embeddings").tie_word_embeddings);
    CHECK(architecture("qwen3-yarn", "factor").rotaries[0].factor == 4);
    CHECK(architecture("qwen3-yarn", "beta_slow").rotaries[0].low_frequency_factor == 1);
    CHECK(architecture("qwen3-yarn", "beta_fast").rotaries[0].high_frequency_factor == 32);
    CHECK(architecture("qwen3-yarn", "truncate").rotaries[0].whole_dimensions);
    CHECK(windows(without("gemma3", "sliding_window_pattern")) ==
          std::vector<int>{16, 16, 16, 16, 16, 0, 16});
    CHECK(windows(without("olmo3", "layer_types")) == std::vector<int>{16, 16, 16, 0});
    CHECK(windows(without("gpt-neo", "attention_types")) == std::vector<int>{0, 16, 0, 16});
    CHECK(architecture("qwen3-yarn", "original_max_position_embeddings")
              .rotaries[0]
              .original_positions == 128);
    // From which layer on there are windows.
    const TransformerConfig deep = changed(
        "qwen2-window", [](Json& j) { j.erase("max_window_layers"), j["num_hidden_layers"] = 29; });
    CHECK(deep.layer(27).window == 0);
    CHECK(deep.layer(28).window == 16);
}

TEST_CASE("windows and rotary positions are in the layers that the family says", "[config]") {
    CHECK(windows(changed("qwen2")) == std::vector<int>{0, 0});
    CHECK(windows(changed("qwen2-window")) == std::vector<int>{0, 0, 16, 16});
    CHECK(windows(changed("gpt-neo")) == std::vector<int>{0, 16, 0, 16});
    refused("gpt-neo",
            {{[](Json& j) { j["attention_types"][0][1] = 3; },
              "attention_types is not a list of [[\"global\", \"local\"], count] for 4"}});
    // From which layer on: from the first.
    CHECK(windows(changed("qwen2-window", [](Json& j) {
              j.erase("layer_types"), j["max_window_layers"] = 0;
          })) == std::vector<int>{16, 16, 16, 16});
    const TransformerConfig gemma3 = changed("gemma3"), smollm3 = changed("smollm3", [](Json&j) {
                                                            j.erase("no_rope_layers"),
                                                                j.erase("no_rope_layer_interval");
                                                        });
    CHECK(windows(gemma3) == std::vector<int>{16, 16, 16, 16, 16, 0, 16});
    CHECK((gemma3.layer(5).rotary == 0 && gemma3.layer(6).rotary == 1));
    CHECK((smollm3.layer(2).rotary == 0 && smollm3.layer(3).rotary == -1));
}

TEST_CASE("what is not computed is refused by name, with what is supported", "[config]") {
    refused(
        "llama",
        {{R"({"model_type": "qwen2_moe"})",
          "config.json: model_type is qwen2_moe, a mixture of experts; "
          "expected gpt2, llama, mistral, qwen2, qwen3, gemma3_text, gemma2, "
          "smollm3, olmo2, olmo3, granite, phi3, gpt_neo, "
          "qwen3_moe, mixtral, gpt_oss or gpt_neox"},
         {R"({"model_type": "qwen2_vl"})", "qwen2_vl, a model that reads pictures; expected"},
         {R"({"model_type": "mamba"})", "model_type is mamba; expected gpt2"},
         {R"({"model_type": "own", "auto_map": {}})", "trust_remote_code"},
         {R"({"hidden_act": "relu"})", "hidden_act is relu, expected silu"},
         {R"({"quantization_config": {"a": 1}})", "quantization_config is there"},
         {R"({"vision_config": {"a": 1}})", "reads pictures"},
         {R"({"num_local_experts": 8})", "num_local_experts is there, expected a dense llama"}});
    refused("llama3", {{R"({"rope_scaling": {"rope_type": "dynamic"}})",
                        "rope_type of the rotary positions is dynamic, expected default, linear, "
                        "llama3, yarn or longrope"},
                       {R"({"rope_scaling": {"rope_type": "longrope"}})", "short_factor is"}});
    refused("phi3-longrope", {{[](Json& j) { j["rope_scaling"]["long_factor"].erase(0); },
                               "longrope has 5 short or long factors, expected 6"}});
    refused("gemma3",
            {{R"({"final_logit_softcapping": 30.0})", "final_logit_softcapping is"},
             {R"({"use_bidirectional_attention": true})", "use_bidirectional_attention"}});
}

TEST_CASE("Gemma 3 with pictures has the settings that its text_config leaves out", "[config]") {
    const TransformerConfig config = read_config_text(
        R"({"model_type": "gemma3", "eos_token_id": [1, 106], "vision_config": {"a": 1},
            "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
            "model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}})",
        "gemma-3-4b");
    CHECK(config.n_embd == 2560);
    const TransformerConfig least =
        read_config_text(R"({"model_type": "gemma3", "text_config": {}})", "gemma-3");
    for (const TransformerConfig& c : {config, least}) {
        CHECK(c.architecture.model_type == "gemma3_text");
        CHECK(c.vocab_size == 262208);
        CHECK(c.n_positions == 131072);
        CHECK(c.n_head == 8);
    }
    CHECK(least.n_embd == 2304);
    CHECK(least.n_inner == 9216);
    CHECK(least.n_layer == 26);
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
    refused("llama",
            {{R"({"num_key_value_heads": 3})", "num_key_value_heads is 3, expected a divisor"},
             {R"({"hidden_size": 65})", "hidden_size is 65, expected a multiple of"},
             {R"({"hidden_size": "64"})", "hidden_size is"},
             {R"({"max_position_embeddings": null})", "max_position_embeddings is missing"},
             {R"({"rope_theta": -3})", "rope_theta is the integer -3, expected a positive number"},
             {R"({"rope_theta": "x"})", "rope_theta is"},
             {R"({"rms_norm_eps": 0})", "rms_norm_eps"},
             {R"({"head_dim": 15})", "make"},  // 15 components don't pair
             {R"({"rope_scaling": 5})", "rope_scaling is"},
             {R"({"num_hidden_layers": 1048576})", "num_hidden_layers is 1048576"}});
    for (const char* key : {"factor", "low_freq_factor", "high_freq_factor"})
        refused("llama3", {{[=](Json& j) { j["rope_scaling"].erase(key); },
                            std::string("the rotary positions lack ") + key}});
    refused("gemma3-types",
            {{[](Json& j) { j["layer_types"].erase(0); }, "a list of 4"},
             {[](Json& j) { j["layer_types"][1] = "chunked_attention"; }, "chunked_attention"}});
    refused("smollm3", {{R"({"no_rope_layers": [1, 1]})", "no_rope_layers"}});
    refused("phi3", {{R"({"partial_rotary_factor": 0.01})", "partial_rotary_factor"}});
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

TEST_CASE("YaRN's amplitude: of its factor, of two magnitudes, or as it is given", "[config]") {
    const auto amplitude = [](const Change& change) {
        return changed("qwen3-yarn", [&](Json& j) { change.apply(j["rope_scaling"]); })
            .architecture.rotaries[0]
            .amplitude;
    };
    const double ln4 = std::log(4.0);
    CHECK(std::abs(amplitude("{}") - (0.1 * ln4 + 1)) <= 1e-12);
    CHECK(std::abs(amplitude(R"({"mscale": 0.707, "mscale_all_dim": 0.5})") -
                   (0.0707 * ln4 + 1) / (0.05 * ln4 + 1)) <= 1e-12);
    // One of the two alone, or a 0, counts for nothing.
    for (const char* nothing :
         {R"({"mscale": 0.707})", R"({"mscale": 0.707, "mscale_all_dim": 0})"})
        CHECK(std::abs(amplitude(nothing) - (0.1 * ln4 + 1)) <= 1e-12);
    CHECK(amplitude(R"({"factor": 0.5})") == 1);
    CHECK(amplitude(R"({"attention_factor": 1.25})") == 1.25);
    refused("qwen3-yarn", {{R"({"rope_scaling": {"truncate": "x"}})",
                            "truncate is the string \"x\", expected true or false"}});
}

TEST_CASE("rarer settings of config.json: older names, nulls, what is refused", "[config]") {
    const auto architecture = [](const char* model, const Change& change) {
        return changed(model, change).architecture;
    };
    CHECK(
        architecture("phi3-longrope", R"({"rope_scaling": {"type": "su"}})").rotaries[0].scaling ==
        RotaryScaling::longrope);
    CHECK(architecture("phi3-longrope", R"({"rope_scaling": {"attention_factor": 1.5}})")
              .rotaries[0]
              .amplitude == 1.5);
    CHECK(architecture("gemma2", R"({"attn_logit_softcapping": null})").score_cap == 0);
    CHECK(architecture("gemma2", R"({"final_logit_softcapping": null})").logit_cap == 0);
    for (const char* gelu : {R"({"hidden_act": "gelu_new"})", R"({"hidden_act": "gelu_fast"})"})
        CHECK(architecture("gpt-neox", gelu).activation == Activation::gelu);
    refused("gpt-neox",
            {{R"({"hidden_act": "relu"})", "hidden_act is relu, expected gelu or gelu_new"}});
    refused("gpt-neo", {{R"({"activation_function": "relu"})",
                         "activation_function is relu, expected gelu_new"}});
    refused("llama3",
            {{R"({"rope_scaling": {"original_max_position_embeddings": 50.5}})",
              "original_max_position_embeddings is not a whole number up to"},
             {R"({"rope_scaling": {"original_max_position_embeddings": 16777217}})",
              "is not a whole number up to 2^24"},
             {R"({"rope_scaling": {"original_max_position_embeddings": 16777216}})", ""}});
    refused("gemma3-types",
            {{R"({"sliding_window": null})",
              "layer_types has sliding_attention, but there is no sliding_window"}});
    refused("mixtral", {{R"({"num_experts_per_tok": 200})",
                         "num_experts_per_tok is 200, expected at most the number of experts, "}});
    refused("qwen3-moe", {{R"({"mlp_only_layers": 3})",
                           "mlp_only_layers is the integer 3, expected a list of layers"}});
    refused("llama", {{R"({"bos_token_id": [1, 2]})", "bos_token_id is a list, expected one id"}});
}

TEST_CASE("config.json is written as it was read, with the class that opens it, for every family",
          "[config]") {
    int models = 0;
    for (const auto& entry : std::filesystem::directory_iterator("tests/data")) {
        const std::string name = entry.path().filename().string(), model = entry.path().string();
        if (!name.starts_with("tiny-")) continue;
        INFO(name);
        ++models;
        const TransformerConfig config = read_model_config(model);
        const TemporaryFolder folder;
        write_model_config(folder.path(), config);
        const Json written = read_json(folder.file("config.json")),
                   theirs = read_json(model + "/config.json");
        CHECK(written["architectures"] == theirs["architectures"]);
        for (const char* key :
             {"model_type", "vocab_size", "hidden_size", "hidden_act", "n_embd",
              "hidden_activation", "activation_function", "attn_logit_softcapping",
              "final_logit_softcapping", "attention_multiplier", "logits_scaling"})
            if (theirs.contains(key) && !theirs[key].is_null()) CHECK(written[key] == theirs[key]);
        CHECK(read_model_config(folder.path()) == config);
        CHECK(read_json(folder.file("generation_config.json"))["_from_model_config"] == true);
        // generation_config.json's list goes first.
        const std::string generation = model + "/generation_config.json";
        if (!std::filesystem::exists(generation)) continue;
        const Json ends = read_json(generation)["eos_token_id"];
        if (ends.is_array()) CHECK(ends == Json(config.eos_token_ids));
    }
    CHECK(models >= 24);
    // What has its default in these files is written, too.
    const TransformerConfig slow = changed("qwen3-yarn", R"({"rope_scaling": {"beta_slow": 2}})");
    REQUIRE(slow.architecture.rotaries[0].low_frequency_factor == 2);
    const TemporaryFolder folder;
    write_model_config(folder.path(), slow);
    CHECK(read_config_file(folder.file("config.json")).architecture.rotaries ==
          slow.architecture.rotaries);
}
