#include "lib/model/llama_config.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "lib/model/config_reader.hpp"
#include "lib/model/llama_layers.hpp"

namespace tbt {

namespace {

constexpr std::array<LlamaFamily, 8> families = {{{"llama", 0, 0, 1e-6, 1e4, false, 0},
                                                  {"mistral", 8, 0, 1e-6, 1e4, false, 4096},
                                                  {"qwen2", 32, 0, 1e-6, 1e4, false, 4096},
                                                  {"qwen3", 32, 128, 1e-6, 1e4, false, 4096},
                                                  {"gemma3_text", 4, 256, 1e-6, 1e6, true, 4096},
                                                  {"smollm3", 4, 0, 1e-6, 2e6, true, 0},
                                                  {"olmo2", 0, 0, 1e-5, 1e4, false, 0},
                                                  {"phi3", 0, 0, 1e-5, 1e4, false, 0}}};

const LlamaFamily* family_of(std::string_view model_type) {
    for (const LlamaFamily& f : families)
        if (f.model_type == model_type) return &f;
    return nullptr;
}

// Throws Error for settings that change the computation in a way this library does not support.
void check_variant(const ConfigReader& file, const LlamaFamily& family) {
    const bool gemma = family.model_type == "gemma3_text";
    const std::string expected = gemma ? "gelu_pytorch_tanh" : "silu";
    const char* key = gemma ? "hidden_activation" : "hidden_act";
    if (const std::string act = file.text_or(key, expected); act != expected)
        file.fail(std::string(key) + " is " + shown(act) + ", expected " + expected);
    for (const char* cap : {"attn_logit_softcapping", "final_logit_softcapping"})
        if (const Json* value = file.find(cap)) file.fail(cap, *value, "null");
    if (file.flag_or("use_bidirectional_attention", false))
        file.fail("use_bidirectional_attention is true, expected false");
    if (file.find("vision_config"))
        file.fail("vision_config is there: this model reads pictures, expected one of text alone");
    for (const char* experts : {"num_experts", "num_local_experts", "n_routed_experts"})
        if (file.count_or(experts, 0) > 0)
            file.fail(std::string(experts) +
                      " is there: mixtures of experts are not supported, expected a dense model");
    if (file.find("quantization_config"))
        file.fail(
            "quantization_config is there, expected plain weights: take the model in BF16 or F16, "
            "and --weights int8 or int4");
}

void read_biases(const ConfigReader& file, std::string_view type, Architecture& a) {
    const bool by_key = type != "mistral" && type != "qwen2" && type != "phi3";
    const bool attention = by_key && file.flag_or("attention_bias", false);
    a.qkv_bias = attention || type == "qwen2";
    a.attention_output_bias = attention;
    a.mlp_bias = (type == "llama" || type == "smollm3") && file.flag_or("mlp_bias", false);
}

void read_gemma(const ConfigReader& file, TransformerConfig& config) {
    Architecture& a = config.architecture;
    a.norm_place = NormPlace::both;
    a.norm_adds_one = true;
    a.activation = Activation::gelu;
    a.score_scalar = static_cast<float>(file.positive_or("query_pre_attn_scalar", 256));
    a.embedding_scale = std::sqrt(static_cast<float>(config.n_embd));
}

}  // namespace

bool is_llama_family(std::string_view model_type) { return family_of(model_type) != nullptr; }

TransformerConfig read_llama_config(const ConfigReader& file, const std::string& model_type) {
    const LlamaFamily& family = *family_of(model_type);
    check_variant(file, family);
    TransformerConfig config;
    config.vocab_size = file.size("vocab_size");
    config.n_positions = file.size("max_position_embeddings");
    config.n_embd = file.size("hidden_size");
    config.n_layer = file.size("num_hidden_layers");
    config.n_head = file.size("num_attention_heads");
    config.n_inner = file.size("intermediate_size");
    config.layer_norm_epsilon =
        static_cast<float>(file.positive_or("rms_norm_eps", family.epsilon));
    config.tie_word_embeddings = file.flag_or("tie_word_embeddings", family.tied);
    config.torch_dtype = file.text_or("torch_dtype", file.text_or("dtype", "float32"));
    if (config.n_layer > max_layers)
        file.fail("num_hidden_layers is " + std::to_string(config.n_layer) + ", expected at most " +
                  std::to_string(max_layers));

    Architecture& a = config.architecture;
    a.model_type = model_type;
    a.norm = Norm::rms;
    a.learned_positions = false;
    a.gated = true;
    a.activation = Activation::silu;
    a.head_size = file.size_or_absent("head_dim", family.head_dim, 0);
    if (a.head_size == 0) {
        if (config.n_embd % config.n_head != 0)
            file.fail("hidden_size is " + std::to_string(config.n_embd) +
                      ", expected a multiple of num_attention_heads, " +
                      std::to_string(config.n_head) + "; or a head_dim");
        a.head_size = config.n_embd / config.n_head;
    }
    a.kv_heads =
        file.size_or_absent("num_key_value_heads",
                            family.kv_heads > 0 ? family.kv_heads : config.n_head, config.n_head);
    if (config.n_head % a.kv_heads != 0)
        file.fail("num_key_value_heads is " + std::to_string(a.kv_heads) +
                  ", expected a divisor of num_attention_heads, " + std::to_string(config.n_head));
    read_biases(file, model_type, a);
    if (model_type == "qwen3" || model_type == "gemma3_text") a.query_key_norm = QueryKeyNorm::head;
    if (model_type == "olmo2") {
        a.query_key_norm = QueryKeyNorm::token;
        a.norm_place = NormPlace::output;
    }
    a.fused_weights = model_type == "phi3";
    if (model_type == "gemma3_text") read_gemma(file, config);
    read_llama_rotaries(file, family, config);
    read_llama_layers(file, family, config);
    return config;
}

void refuse_model_type(const ConfigReader& file, const std::string& model_type) {
    const auto is_one_of = [&](std::initializer_list<std::string_view> types) {
        for (const std::string_view t : types)
            if (t == model_type) return true;
        return false;
    };
    std::string why;
    if (is_one_of({"mixtral", "qwen2_moe", "qwen3_moe", "deepseek_v2", "deepseek_v3", "olmoe",
                   "phimoe", "gpt_oss", "granitemoe", "dbrx", "llama4", "llama4_text"}))
        why = ", a mixture of experts";
    else if (file.find("vision_config") ||
             is_one_of({"gemma3", "mllama", "llava", "llava_next", "qwen2_vl", "qwen2_5_vl",
                        "qwen3_vl", "paligemma", "idefics3", "mistral3", "pixtral", "smolvlm"}))
        why = ", a model that reads pictures";
    else if (file.find("auto_map"))
        why = ", which brings code of its own (trust_remote_code), and that is never run";
    std::string supported = "gpt2";
    for (const LlamaFamily& f : families)
        supported += (f.model_type == families.back().model_type ? " or " : ", ") +
                     std::string(f.model_type);
    file.fail("model_type is " + shown(model_type) + why + "; expected " + supported);
}

TransformerConfig llama_config(int layers, int heads, int kv_heads, int channels, int inner,
                               int positions, int vocabulary) {
    TransformerConfig config = gpt_config(layers, heads, channels, positions, vocabulary);
    config.n_inner = inner;
    Architecture& a = config.architecture;
    a.model_type = "llama";
    a.norm = Norm::rms;
    a.learned_positions = false;
    a.kv_heads = kv_heads;
    a.rotaries = {Rotary{}};
    a.layers.assign(layers > 0 && layers <= max_layers ? index(layers) : 0, LayerKind{0, 0});
    a.head_size = heads > 0 ? channels / heads : 0;
    a.rotary_size = a.head_size;
    a.gated = true;
    a.activation = Activation::silu;
    a.qkv_bias = a.attention_output_bias = a.mlp_bias = false;
    return config;
}

}  // namespace tbt
