#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "lib/files/config_families.hpp"
#include "lib/files/config_file.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

// The double with the shortest decimal that reads as this float: 1e-05, not 9.999999747378752e-06.
double shortest(float value) {
    char text[32];
    int digits = 0;
    do std::snprintf(text, sizeof text, "%.*g", ++digits, static_cast<double>(value));
    while (digits < 9 && std::strtof(text, nullptr) != value);
    return std::strtod(text, nullptr);
}

// A number for one id, an array for several, null for none.
Json ids_to_json(const std::vector<int>& ids) {
    if (ids.empty()) return nullptr;
    return ids.size() == 1 ? Json(ids[0]) : Json(ids);
}

Json gpt2_json(const TransformerConfig& config, const Json& bos, const Json& eos) {
    return {{"activation_function", "gelu_new"},
            {"architectures", Json::array({"GPT2LMHeadModel"})},
            {"attn_pdrop", 0.0},
            {"bos_token_id", bos},
            {"embd_pdrop", 0.0},
            {"eos_token_id", eos},
            {"initializer_range", 0.02},
            {"layer_norm_epsilon", shortest(config.layer_norm_epsilon)},
            {"model_type", "gpt2"},
            {"n_ctx", config.n_positions},
            {"n_embd", config.n_embd},
            {"n_head", config.n_head},
            {"n_inner", config.n_inner},
            {"n_layer", config.n_layer},
            {"n_positions", config.n_positions},
            {"resid_pdrop", 0.0},
            {"scale_attn_by_inverse_layer_idx", false},
            {"scale_attn_weights", true},
            {"tie_word_embeddings", config.tie_word_embeddings},
            {"torch_dtype", config.torch_dtype},
            {"use_cache", true},
            {"vocab_size", config.vocab_size}};
}

Json rotary_json(const Rotary& rotary) {
    if (rotary.scaling == RotaryScaling::none) return nullptr;
    if (rotary.scaling == RotaryScaling::linear)
        return {{"factor", rotary.factor}, {"rope_type", "linear"}};
    if (rotary.scaling == RotaryScaling::yarn)
        return {{"attention_factor", rotary.amplitude},
                {"beta_fast", rotary.high_frequency_factor},
                {"beta_slow", rotary.low_frequency_factor},
                {"factor", rotary.factor},
                {"original_max_position_embeddings", rotary.original_positions},
                {"rope_type", "yarn"},
                {"truncate", rotary.whole_dimensions}};
    if (rotary.scaling == RotaryScaling::longrope)
        return {{"attention_factor", rotary.amplitude},
                {"long_factor", rotary.long_factors},
                {"original_max_position_embeddings", rotary.original_positions},
                {"rope_type", "longrope"},
                {"short_factor", rotary.short_factors}};
    return {{"factor", rotary.factor},
            {"high_freq_factor", rotary.high_frequency_factor},
            {"low_freq_factor", rotary.low_frequency_factor},
            {"original_max_position_embeddings", rotary.original_positions},
            {"rope_type", "llama3"}};
}

// Adds the settings that differ from layer to layer, with the keys of the model's family.
void add_layers(const Architecture& a, const Family& family, Json& json) {
    int window = 0;
    Json types = Json::array(), rotated = Json::array();
    for (const LayerKind& kind : a.layers) {
        window = std::max(window, kind.window);
        types.push_back(kind.window > 0 ? "sliding_attention" : "full_attention");
        rotated.push_back(kind.rotary >= 0 ? 1 : 0);
    }
    json["sliding_window"] = window > 0 ? Json(window) : Json(nullptr);
    if (family.windows == Windows::late || family.windows == Windows::no_rotary)
        json["use_sliding_window"] = window > 0;
    if (window > 0) json["layer_types"] = types;
    if (family.some_without_rotary) json["no_rope_layers"] = rotated;
}

void add_experts(const Architecture& a, const Family& family, Json& json) {
    json["num_experts_per_tok"] = a.experts_per_token;
    json[family.experts == Experts::qwen3 ? "num_experts" : "num_local_experts"] = a.experts;
    if (family.experts == Experts::gpt_oss) json["swiglu_limit"] = shortest(a.activation_limit);
    if (family.experts != Experts::qwen3) return;
    Json dense = Json::array();
    for (std::size_t i = 0; i < a.layers.size(); ++i)
        if (!a.layers[i].experts) dense.push_back(i);
    json["mlp_only_layers"] = dense;
    json["moe_intermediate_size"] = a.expert_inner;
    json["norm_topk_prob"] = a.experts_sum_to_one;
}

// The config.json of a Llama family, with the keys of transformers 4, which version 5 reads too.
Json llama_json(const TransformerConfig& config, const Family& family, const Json& bos,
                const Json& eos) {
    const Architecture& a = config.architecture;
    const Rotary rotary = a.rotaries.empty() ? Rotary{} : a.rotaries[0];
    Json json = {{"architectures", Json::array({family.class_name})},
                 {"attention_bias", a.attention_output_bias},
                 {"bos_token_id", bos},
                 {"eos_token_id", eos},
                 {"head_dim", config.head_size()},
                 {family.gemma ? "hidden_activation" : "hidden_act",
                  family.gemma ? "gelu_pytorch_tanh" : "silu"},
                 {"hidden_size", config.n_embd},
                 {"intermediate_size", config.n_inner},
                 {"max_position_embeddings", config.n_positions},
                 {"mlp_bias", a.mlp_bias},
                 {"model_type", a.model_type},
                 {"num_attention_heads", config.n_head},
                 {"num_hidden_layers", config.n_layer},
                 {"num_key_value_heads", config.kv_heads()},
                 {"rms_norm_eps", shortest(config.layer_norm_epsilon)},
                 {"rope_scaling", rotary_json(rotary)},
                 {"rope_theta", rotary.theta},
                 {"tie_word_embeddings", config.tie_word_embeddings},
                 {"torch_dtype", config.torch_dtype},
                 {"vocab_size", config.vocab_size}};
    if (a.rotary_size < config.head_size())
        json["partial_rotary_factor"] =
            static_cast<double>(a.rotary_size) / static_cast<double>(config.head_size());
    if (family.gemma) {
        json["query_pre_attn_scalar"] = shortest(a.score_scalar);
        if (a.rotaries.size() > 1) json["rope_local_base_freq"] = a.rotaries[1].theta;
    }
    const auto cap = [](float value) { return value > 0 ? Json(shortest(value)) : Json(nullptr); };
    if (family.caps) {
        json["attn_logit_softcapping"] = cap(a.score_cap);
        json["final_logit_softcapping"] = cap(a.logit_cap);
    }
    if (family.multipliers) {
        json["attention_multiplier"] = shortest(1 / std::sqrt(a.score_scalar));
        json["embedding_multiplier"] = shortest(a.embedding_scale);
        json["logits_scaling"] = shortest(1 / a.logit_scale);
        json["residual_multiplier"] = shortest(a.residual_scale);
    }
    add_layers(a, family, json);
    if (family.experts != Experts::none) add_experts(a, family, json);
    return json;
}

Json neo_json(const TransformerConfig& config, const Json& bos, const Json& eos) {
    Json kinds = Json::array();
    int window = 256;
    for (const LayerKind& kind : config.architecture.layers) {
        kinds.push_back(kind.window > 0 ? "local" : "global");
        if (kind.window > 0) window = kind.window;
    }
    return {{"activation_function", "gelu_new"},
            {"architectures", Json::array({"GPTNeoForCausalLM"})},
            {"attention_types", Json::array({Json::array({kinds, 1})})},
            {"bos_token_id", bos},
            {"eos_token_id", eos},
            {"hidden_size", config.n_embd},
            {"intermediate_size", config.n_inner},
            {"layer_norm_epsilon", shortest(config.layer_norm_epsilon)},
            {"max_position_embeddings", config.n_positions},
            {"model_type", "gpt_neo"},
            {"num_heads", config.n_head},
            {"num_layers", config.n_layer},
            {"tie_word_embeddings", config.tie_word_embeddings},
            {"torch_dtype", config.torch_dtype},
            {"vocab_size", config.vocab_size},
            {"window_size", window}};
}

Json neox_json(const TransformerConfig& config, const Json& bos, const Json& eos) {
    const Architecture& a = config.architecture;
    const bool erf = a.activation == Activation::gelu_erf;
    return {{"architectures", Json::array({"GPTNeoXForCausalLM"})},
            {"attention_bias", a.qkv_bias},
            {"bos_token_id", bos},
            {"eos_token_id", eos},
            {"hidden_act", erf ? "gelu" : "gelu_new"},
            {"hidden_size", config.n_embd},
            {"intermediate_size", config.n_inner},
            {"layer_norm_eps", shortest(config.layer_norm_epsilon)},
            {"max_position_embeddings", config.n_positions},
            {"model_type", "gpt_neox"},
            {"num_attention_heads", config.n_head},
            {"num_hidden_layers", config.n_layer},
            {"rope_scaling", rotary_json(a.rotaries.at(0))},
            {"rotary_emb_base", a.rotaries.at(0).theta},
            {"rotary_pct",
             static_cast<double>(a.rotary_size) / static_cast<double>(config.head_size())},
            {"tie_word_embeddings", config.tie_word_embeddings},
            {"torch_dtype", config.torch_dtype},
            {"use_parallel_residual", a.parallel},
            {"vocab_size", config.vocab_size}};
}

}  // namespace

void write_model_config(const std::string& directory, const TransformerConfig& config) {
    check_config(config, join_path(directory, "config.json"));
    const Json bos = config.bos_token_id ? Json(*config.bos_token_id) : Json(nullptr);
    const Json eos = ids_to_json(config.eos_token_ids);
    const Family* family = family_of(config.architecture.model_type);
    const Json json = !family                      ? gpt2_json(config, bos, eos)
                      : family->keys == Keys::neo  ? neo_json(config, bos, eos)
                      : family->keys == Keys::neox ? neox_json(config, bos, eos)
                                                   : llama_json(config, *family, bos, eos);
    const Json generation = {
        {"_from_model_config", true}, {"bos_token_id", bos}, {"eos_token_id", eos}};
    make_directory(directory);
    write_file(join_path(directory, "config.json"), json_text(json, 2) + "\n");
    write_file(join_path(directory, "generation_config.json"), json_text(generation, 2) + "\n");
}

}  // namespace tbt
