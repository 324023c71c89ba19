// The families of models other than GPT-2, a row for each: how their files differ from Llama's.
// Included by .cpp files of this room only.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "lib/model/model_config.hpp"

namespace tbt {

// Where biases are: always nowhere; where the key attention_bias says; always on q, k and v.
enum class Biases { none, by_key, qkv };
// Which layers have the window, if there is no layer_types: none; all; with use_sliding_window
// those from max_window_layers on; all but every n-th; those without rotary positions.
enum class Windows { none, all, late, pattern, no_rotary };

// The keys of a mixture of experts.
enum class Experts { none, qwen3, mixtral, gpt_oss };

// The keys of config.json: Llama's, or those of GPT-Neo or GPT-NeoX.
enum class Keys { llama, neo, neox };

// What a family of models has that Llama has not, and the values that the transformers library
// assumes for missing keys. 0 means: kv_heads is H, head_dim is C / H, there is no window.
struct Family {
    std::string_view type = {}, class_name = {};
    int kv_heads = 0, head_dim = 0;
    double epsilon = 1e-6, theta = 1e4;
    bool tied = false;
    int window = 0;
    Windows windows = Windows::none;
    int pattern = 0;  // Windows::pattern: every n-th layer has none
    Biases biases = Biases::by_key;
    bool attention_bias = false;  // if that key is missing
    bool mlp_bias = false;        // where the key mlp_bias says
    QueryKeyNorm query_key_norm = QueryKeyNorm::none;
    NormPlace norm_place = NormPlace::input;
    // gemma: γ − 1 in files, embeddings times √C, GELU. local_rotary: layers with a window have
    // rotary
    // settings of their own. caps: the keys of soft caps are read.
    bool gemma = false, local_rotary = false, caps = false;
    bool some_without_rotary = false, fused = false, multipliers = false;
    Keys keys = Keys::llama;
    Experts experts = Experts::none;
};

inline constexpr Family families[] = {
    {.type = "llama", .class_name = "LlamaForCausalLM", .mlp_bias = true},
    {.type = "mistral",
     .class_name = "MistralForCausalLM",
     .kv_heads = 8,
     .window = 4096,
     .windows = Windows::all,
     .biases = Biases::none},
    {.type = "qwen2",
     .class_name = "Qwen2ForCausalLM",
     .kv_heads = 32,
     .window = 4096,
     .windows = Windows::late,
     .biases = Biases::qkv},
    {.type = "qwen3",
     .class_name = "Qwen3ForCausalLM",
     .kv_heads = 32,
     .head_dim = 128,
     .window = 4096,
     .windows = Windows::late,
     .query_key_norm = QueryKeyNorm::head},
    {.type = "gemma3_text",
     .class_name = "Gemma3ForCausalLM",
     .kv_heads = 4,
     .head_dim = 256,
     .theta = 1e6,
     .tied = true,
     .window = 4096,
     .windows = Windows::pattern,
     .pattern = 6,
     .query_key_norm = QueryKeyNorm::head,
     .norm_place = NormPlace::both,
     .gemma = true,
     .local_rotary = true},
    {.type = "gemma2",
     .class_name = "Gemma2ForCausalLM",
     .kv_heads = 4,
     .head_dim = 256,
     .tied = true,
     .window = 4096,
     .windows = Windows::pattern,
     .pattern = 2,
     .norm_place = NormPlace::both,
     .gemma = true,
     .caps = true},
    {.type = "smollm3",
     .class_name = "SmolLM3ForCausalLM",
     .kv_heads = 4,
     .theta = 2e6,
     .tied = true,
     .windows = Windows::no_rotary,
     .mlp_bias = true,
     .some_without_rotary = true},
    {.type = "olmo2",
     .class_name = "Olmo2ForCausalLM",
     .epsilon = 1e-5,
     .query_key_norm = QueryKeyNorm::token,
     .norm_place = NormPlace::output},
    {.type = "olmo3",
     .class_name = "Olmo3ForCausalLM",
     .epsilon = 1e-5,
     .window = 4096,
     .windows = Windows::pattern,
     .pattern = 4,
     .query_key_norm = QueryKeyNorm::token,
     .norm_place = NormPlace::output,
     .local_rotary = true},
    {.type = "granite", .class_name = "GraniteForCausalLM", .mlp_bias = true, .multipliers = true},
    {.type = "phi3",
     .class_name = "Phi3ForCausalLM",
     .epsilon = 1e-5,
     .windows = Windows::all,
     .biases = Biases::none,
     .fused = true},
    {.type = "gpt_neo", .class_name = "GPTNeoForCausalLM", .tied = true, .keys = Keys::neo},
    {.type = "qwen3_moe",
     .class_name = "Qwen3MoeForCausalLM",
     .kv_heads = 4,
     .window = 4096,
     .windows = Windows::late,
     .query_key_norm = QueryKeyNorm::head,
     .experts = Experts::qwen3},
    {.type = "mixtral",
     .class_name = "MixtralForCausalLM",
     .kv_heads = 8,
     .epsilon = 1e-5,
     .theta = 1e6,
     .windows = Windows::all,
     .biases = Biases::none,
     .experts = Experts::mixtral},
    {.type = "gpt_oss",
     .class_name = "GptOssForCausalLM",
     .kv_heads = 8,
     .head_dim = 64,
     .epsilon = 1e-5,
     .theta = 150000,
     .window = 128,
     .windows = Windows::pattern,
     .pattern = 2,
     .attention_bias = true,
     .experts = Experts::gpt_oss},
    {.type = "gpt_neox", .class_name = "GPTNeoXForCausalLM", .keys = Keys::neox}};

inline const Family* family_of(std::string_view model_type) {
    const auto* const found =
        std::find_if(std::begin(families), std::end(families),
                     [&](const Family& family) { return family.type == model_type; });
    return found == std::end(families) ? nullptr : found;
}

}  // namespace tbt
