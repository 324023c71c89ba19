// The names of weights in the files of each architecture other than GPT-2: a row for each that does
// not have Llama's.
#pragma once

#include <string_view>

#include "lib/model/model_config.hpp"

namespace tbt {

// Without ".weight" and ".bias". The names of a layer's weights begin with `layers`, the layer's
// number and a dot.
struct WeightNames {
    std::string_view embedding = "model.embed_tokens", positions = {}, layers = "model.layers.",
                     norm1 = "input_layernorm",
                     norm2 = "post_attention_layernorm",  // in Llama, the norm before the MLP
        query = "self_attn.q_proj", key = "self_attn.k_proj", value = "self_attn.v_proj",
                     query_key_value = "self_attn.qkv_proj", output = "self_attn.o_proj",
                     gate = "mlp.gate_proj", up = "mlp.up_proj", gate_up = "mlp.gate_up_proj",
                     down = "mlp.down_proj", norm = "model.norm", head = "lm_head",
                     router = "mlp.gate", experts = "mlp.experts.";
    // An expert's names follow `experts`, its number and a dot.
    std::string_view expert_gate = "gate_proj", expert_up = "up_proj", expert_down = "down_proj",
                     expert_gate_up = {};  // not empty: gate and up are one matrix
};

inline constexpr WeightNames llama_weights;
inline constexpr WeightNames gpt_neo_weights = {.embedding = "wte",
                                                .positions = "wpe",
                                                .layers = "h.",
                                                .norm1 = "ln_1",
                                                .norm2 = "ln_2",
                                                .query = "attn.attention.q_proj",
                                                .key = "attn.attention.k_proj",
                                                .value = "attn.attention.v_proj",
                                                .output = "attn.attention.out_proj",
                                                .up = "mlp.c_fc",
                                                .down = "mlp.c_proj",
                                                .norm = "ln_f"};

inline constexpr WeightNames gpt_neox_weights = {.embedding = "gpt_neox.embed_in",
                                                 .layers = "gpt_neox.layers.",
                                                 .query_key_value = "attention.query_key_value",
                                                 .output = "attention.dense",
                                                 .up = "mlp.dense_h_to_4h",
                                                 .down = "mlp.dense_4h_to_h",
                                                 .norm = "gpt_neox.final_layer_norm",
                                                 .head = "embed_out"};

inline constexpr WeightNames mixtral_weights = {.router = "block_sparse_moe.gate",
                                                .experts = "block_sparse_moe.experts.",
                                                .expert_gate = "w1",
                                                .expert_up = "w3",
                                                .expert_down = "w2"};

inline constexpr WeightNames gpt_oss_weights = {.router = "mlp.router",
                                                .expert_gate_up = "gate_up_proj"};

inline const WeightNames& weight_names(const Architecture& a) {
    return a.model_type == "gpt_neo"    ? gpt_neo_weights
           : a.model_type == "gpt_neox" ? gpt_neox_weights
           : a.model_type == "mixtral"  ? mixtral_weights
           : a.model_type == "gpt_oss"  ? gpt_oss_weights
                                        : llama_weights;
}

}  // namespace tbt
