#include "lib/files/config_file.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/config_families.hpp"
#include "lib/files/config_reader.hpp"
#include "lib/files/gguf_model.hpp"
#include "lib/files/model.hpp"
#include "lib/files/stored_integers.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

// Throws Error for an unsupported model_type, with what is supported, and with the reason if there
// is a known one.
[[noreturn]] void refuse_model_type(const ConfigReader& file, const std::string& model_type) {
    const auto is_one_of = [&](std::initializer_list<std::string_view> types) {
        return std::find(types.begin(), types.end(), model_type) != types.end();
    };
    std::string why;
    if (is_one_of({"qwen2_moe", "deepseek_v2", "deepseek_v3", "olmoe", "phimoe", "granitemoe",
                   "dbrx", "llama4", "llama4_text"}))
        why = ", a mixture of experts";
    else if (file.find("vision_config") ||
             is_one_of({"mllama_text_model", "llava", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl",
                        "qwen2_5_vl_text", "qwen3_vl", "qwen3_vl_text", "paligemma"}))
        why = ", a model that reads pictures";
    else if (file.find("auto_map"))
        why = ", which brings code of its own (trust_remote_code), and that is never run";
    std::string supported = "gpt2";
    for (const Family& f : families)
        supported += (&f + 1 == std::end(families) ? " or " : ", ") + std::string(f.type);
    file.fail("model_type is " + shown(model_type) + why + "; expected " + supported);
}

// The usual width of an MLP.
int four_times(int channels) {
    return to_int(std::min<std::int64_t>(4ll * channels, largest_size));
}

int layer_count(const ConfigReader& file, const char* key) {
    const int layers = file.size(key);
    if (layers > max_layers)
        file.fail(std::string(key) + " is " + std::to_string(layers) + ", expected at most " +
                  std::to_string(max_layers));
    return layers;
}

// The sizes whose keys Llama, GPT-Neo and GPT-NeoX share, but for two.
TransformerConfig read_sizes(const ConfigReader& file, const char* layers, const char* heads) {
    TransformerConfig config;
    config.vocab_size = file.size("vocab_size");
    config.n_positions = file.size("max_position_embeddings");
    config.n_embd = file.size("hidden_size");
    config.n_layer = layer_count(file, layers);
    config.n_head = file.size(heads);
    return config;
}

// ---- GPT-2 --------------------------------------------------------------------------------------
// Throws Error for settings that change the computation in a way this library does not support.
void check_gpt2_variant(const ConfigReader& file) {
    const std::string activation = file.text_or("activation_function", "gelu_new");
    if (activation != "gelu_new" && activation != "gelu_pytorch_tanh") {
        file.fail("activation_function is " + shown(activation) +
                  ", expected gelu_new (or gelu_pytorch_tanh)");
    }
    if (!file.flag_or("scale_attn_weights", true))
        file.fail("scale_attn_weights is false, expected true");
    for (const char* key : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"}) {
        if (file.flag_or(key, false)) file.fail(std::string(key) + " is true, expected false");
    }
    // Only our own formats of 8 and 4 bits are supported (stored_integers.hpp).
    if (const Json* quantized = file.find("quantization_config")) {
        const Json method =
            quantized->is_object() ? quantized->value("quant_method", Json()) : Json();
        if (method != std::string(int8_method) && method != std::string(int4_method))
            file.fail("quantization_config is there, expected plain weights or the method " +
                      std::string(int8_method) + " or " + std::string(int4_method));
    }
    const Json* pruned = file.find("pruned_heads");
    if (pruned && !pruned->empty())
        file.fail("pruned_heads is not empty, expected a model with all its heads");
}

TransformerConfig read_gpt2(const ConfigReader& file) {
    check_gpt2_variant(file);
    TransformerConfig config;
    config.vocab_size = file.size("vocab_size");
    config.n_positions = file.size("n_positions");
    config.n_embd = file.size("n_embd");
    config.n_layer = file.size("n_layer");
    config.n_head = file.size("n_head");
    config.n_inner = file.size_or("n_inner", four_times(config.n_embd));
    config.tie_word_embeddings = file.flag_or("tie_word_embeddings", true);
    if (const Json* epsilon = file.find("layer_norm_epsilon")) {
        if (!epsilon->is_number())
            file.fail("layer_norm_epsilon", *epsilon, "a small positive number");
        config.layer_norm_epsilon = epsilon->get<float>();
    }
    return config;
}

// ---- Llama and similar models: rotary positions -------------------------------------------------
double number_in(const ConfigReader& file, const Json& object, const char* key,
                 std::optional<double> otherwise = {}) {
    const auto member = object.find(key);
    if (member != object.end() && !member->is_null()) return file.positive(key, *member);
    if (otherwise) return *otherwise;
    file.fail(std::string("the rotary positions lack ") + key + ", expected a number");
}

void read_yarn(const ConfigReader& file, const Json& object, int positions, Rotary& r) {
    r.factor =
        number_in(file, object, "factor", static_cast<double>(positions) / r.original_positions);
    r.low_frequency_factor = number_in(file, object, "beta_slow", 1);
    r.high_frequency_factor = number_in(file, object, "beta_fast", 32);
    const Json whole = object.value("truncate", Json(true));
    if (!whole.is_boolean()) file.fail("truncate", whole, "true or false");
    r.whole_dimensions = whole.get<bool>();
    const auto magnitude = [&](const char* key) {
        const double k = key ? number_in(file, object, key) : 1;
        return r.factor <= 1 ? 1 : 0.1 * k * portable_log(r.factor) + 1;
    };
    const auto given = [&](const char* key) {
        const Json value = object.value(key, Json());
        return !value.is_null() && value != 0;
    };
    const double usual = given("mscale") && given("mscale_all_dim")
                             ? magnitude("mscale") / magnitude("mscale_all_dim")
                             : magnitude(nullptr);
    r.amplitude = number_in(file, object, "attention_factor", usual);
}

// The key original_max_position_embeddings of longrope, if there is one, is outside of the object.
void read_longrope(const ConfigReader& file, const Json& object, int positions, Rotary& r) {
    r.original_positions = file.size_or("original_max_position_embeddings", r.original_positions);
    for (const auto& [key, factors] :
         {std::pair{"short_factor", &r.short_factors}, {"long_factor", &r.long_factors}}) {
        const Json list = object.value(key, Json());
        if (!list.is_array()) file.fail(key, list, "a list of numbers");
        for (const Json& factor : list) factors->push_back(file.positive(key, factor));
    }
    const double times = static_cast<double>(positions) / r.original_positions,
                 usual =
                     times <= 1
                         ? 1
                         : std::sqrt(1 + portable_log(times) / portable_log(r.original_positions));
    r.amplitude = number_in(file, object, "attention_factor", usual);
}

Rotary rotary_of(const ConfigReader& file, const Json& object, double theta, int positions) {
    Rotary r;
    r.theta = number_in(file, object, "rope_theta", theta);
    const char* key = object.contains("rope_type") ? "rope_type" : "type";
    const Json type = object.value(key, Json("default"));
    if (!type.is_string()) file.fail(key, type, "default, linear, llama3, yarn or longrope");
    const auto name = type.get<std::string>();
    if (name == "default") return r;
    const std::pair<std::string_view, RotaryScaling> known[] = {
        {"linear", RotaryScaling::linear},
        {"llama3", RotaryScaling::llama3},
        {"yarn", RotaryScaling::yarn},
        {"longrope", RotaryScaling::longrope},
        {"su", RotaryScaling::longrope}};  // its older name
    for (const auto& [word, scaling] : known)
        if (name == word) r.scaling = scaling;
    if (r.scaling == RotaryScaling::none)
        file.fail(std::string(key) + " of the rotary positions is " + shown(name) +
                  ", expected default, linear, llama3, yarn or longrope");
    if (name == "linear") {
        r.factor = number_in(file, object, "factor");
        return r;
    }
    const double original = number_in(file, object, "original_max_position_embeddings", positions);
    if (original > largest_size || original != std::floor(original))
        file.fail("original_max_position_embeddings is not a whole number up to 2^24");
    r.original_positions = static_cast<int>(original);
    if (r.scaling == RotaryScaling::longrope) {
        read_longrope(file, object, positions, r);
        return r;
    }
    if (name == "yarn") {
        read_yarn(file, object, positions, r);
        return r;
    }
    r.factor = number_in(file, object, "factor");
    r.low_frequency_factor = number_in(file, object, "low_freq_factor");
    r.high_frequency_factor = number_in(file, object, "high_freq_factor");
    return r;
}

// The value of rope_scaling if it is not empty, else that of rope_parameters, else an empty object.
Json rotary_object(const ConfigReader& file) {
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
        const Json* object = file.find(key);
        if (object && !object->is_object()) file.fail(key, *object, "an object or null");
        if (object && !object->empty()) return *object;
    }
    return Json::object();
}

void read_rotaries(const ConfigReader& file, const Family& family, TransformerConfig& config,
                   double rotated = 1) {
    Architecture& a = config.architecture;
    const Json object = rotary_object(file);
    const double theta = file.positive_or("rope_theta", family.theta);
    // Layers with a window may have rotary settings of their own: rotaries[1].
    const auto of = [&](const char* kind) {
        const auto member = object.find(kind);
        return member != object.end() && member->is_object() ? *member : object;
    };
    if (family.local_rotary) {
        const bool apart = object.contains("sliding_attention");
        const double local = family.gemma
                                 ? file.positive_or("rope_local_base_freq", 1e4)
                                 : number_in(file, of("full_attention"), "rope_theta", theta);
        a.rotaries = {rotary_of(file, of("full_attention"), theta, config.n_positions),
                      rotary_of(file, apart ? of("sliding_attention") : Json::object(), local,
                                config.n_positions)};
    } else {
        a.rotaries = {rotary_of(file, object, theta, config.n_positions)};
    }
    const double part = number_in(file, object, "partial_rotary_factor",
                                  file.positive_or("partial_rotary_factor", rotated));
    a.rotary_size = static_cast<int>(a.head_size * part);
    if (a.rotary_size < 2 || a.rotary_size > a.head_size || a.rotary_size % 2 != 0)
        file.fail("partial_rotary_factor makes " + std::to_string(a.rotary_size) + " of the " +
                  std::to_string(a.head_size) +
                  " components of a head rotate, expected an even number, at most all");
}

// ---- what differs from layer to layer -----------------------------------------------------------
// Which layers have a window according to layer_types; empty if that key is missing.
std::vector<bool> windows_listed(const ConfigReader& file, int layers) {
    std::vector<bool> result;
    const Json* types = file.list("layer_types", layers);
    for (int i = 0; types && i < layers; ++i) {
        const Json& type = (*types)[index(i)];
        const bool sliding = type == "sliding_attention";
        if (!sliding && type != "full_attention")
            file.fail("layer_types has " + shown(json_text(type)) +
                      ", expected full_attention and sliding_attention");
        result.push_back(sliding);
    }
    return result;
}

// Does this layer of SmolLM3 have rotary positions? no_rope_layers is 0 for layers without them.
bool has_rotary(const ConfigReader& file, int layer, int layers) {
    const Json* list = file.list("no_rope_layers", layers);
    if (!list) return (layer + 1) % file.size_or("no_rope_layer_interval", 4) != 0;
    return file.integer("no_rope_layers", (*list)[index(layer)], 0, 1) == 1;
}

void read_layers(const ConfigReader& file, const Family& family, TransformerConfig& config) {
    const int n = config.n_layer, first = file.count_or("max_window_layers", 28),
              every = file.size_or("sliding_window_pattern", std::max(1, family.pattern));
    const bool used = file.flag_or("use_sliding_window", false),
               has_windows = family.windows != Windows::none &&
                             (family.windows != Windows::no_rotary || used);
    const int size = has_windows ? file.size_or_absent("sliding_window", family.window, 0) : 0;
    const std::vector<bool> listed = windows_listed(file, n);
    for (int i = 0; i < n; ++i) {
        const bool rotated = !family.some_without_rotary || has_rotary(file, i, n);
        const bool by_rule = family.windows == Windows::all ||
                             (family.windows == Windows::late && used && i >= first) ||
                             (family.windows == Windows::pattern && (i + 1) % every != 0) ||
                             (family.windows == Windows::no_rotary && !rotated);
        const bool window = listed.empty() ? by_rule : listed[index(i)];
        if (!listed.empty() && window && size == 0)
            file.fail("layer_types has sliding_attention, but there is no sliding_window");
        config.architecture.layers.push_back({window ? size : 0, !rotated ? -1
                                                                 : family.local_rotary && window
                                                                     ? 1
                                                                     : 0});
    }
}

// ---- Llama and similar models -------------------------------------------------------------------
// Throws Error for settings that change the computation in a way this library does not support.
void check_variant(const ConfigReader& file, const Family& family) {
    const std::string expected = family.gemma ? "gelu_pytorch_tanh" : "silu";
    const char* key = family.gemma ? "hidden_activation" : "hidden_act";
    if (const std::string act = file.text_or(key, expected); act != expected)
        file.fail(std::string(key) + " is " + shown(act) + ", expected " + expected);
    for (const char* cap : {"attn_logit_softcapping", "final_logit_softcapping"})
        if (const Json* value = file.find(cap); value && !family.caps)
            file.fail(cap, *value, "null");
    if (file.flag_or("use_bidirectional_attention", false))
        file.fail("use_bidirectional_attention is true, expected false");
    if (file.find("vision_config"))
        file.fail("vision_config is there: this model reads pictures, expected one of text alone");
    for (const char* experts : {"num_experts", "num_local_experts", "n_routed_experts"})
        if (family.experts == Experts::none && file.count_or(experts, 0) > 0)
            file.fail(std::string(experts) + " is there, expected a dense " +
                      std::string(family.type) + ", or model_type qwen3_moe, mixtral or gpt_oss");
    const Json* quantized = file.find("quantization_config");
    const bool mxfp4 = quantized && family.experts == Experts::gpt_oss && quantized->is_object() &&
                       quantized->value("quant_method", Json()) == "mxfp4";
    if (quantized && !mxfp4)
        file.fail(
            std::string("quantization_config is there, expected ") +
            (family.experts == Experts::gpt_oss
                 ? "that of the original model, MXFP4"
                 : "plain weights: take the model in BF16 or F16, and --weights int8 or int4"));
}

// After read_layers().
void read_experts(const ConfigReader& file, const Family& family, TransformerConfig& config) {
    if (family.experts == Experts::none) return;
    const bool qwen = family.experts == Experts::qwen3,
               mixtral = family.experts == Experts::mixtral;
    Architecture& a = config.architecture;
    a.experts = file.size_or(qwen ? "num_experts" : "num_local_experts", mixtral ? 8 : 128);
    a.experts_per_token = file.size_or("num_experts_per_tok", qwen ? 8 : mixtral ? 2 : 4);
    a.expert_inner = qwen ? file.size_or("moe_intermediate_size", 768) : config.n_inner;
    a.experts_sum_to_one = !qwen || file.flag_or("norm_topk_prob", false);
    if (family.experts == Experts::gpt_oss) {
        a.expert_biases = a.sinks = true;
        a.activation = Activation::limited_swiglu;
        a.activation_limit = static_cast<float>(file.positive_or("swiglu_limit", 7));
    }
    if (a.experts_per_token > a.experts)
        file.fail("num_experts_per_tok is " + std::to_string(a.experts_per_token) +
                  ", expected at most the number of experts, " + std::to_string(a.experts));
    const int step = file.size_or("decoder_sparse_step", 1);
    for (int i = 0; i < config.n_layer; ++i) a.layers[index(i)].experts = (i + 1) % step == 0;
    const Json* dense = file.find("mlp_only_layers");
    if (dense && !dense->is_array()) file.fail("mlp_only_layers", *dense, "a list of layers");
    for (const Json& layer : dense ? *dense : Json::array())
        a.layers[index(file.integer("mlp_only_layers", layer, 0, config.n_layer - 1))].experts =
            false;
}

void read_heads(const ConfigReader& file, const Family& family, TransformerConfig& config) {
    Architecture& a = config.architecture;
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
}

TransformerConfig read_llama(const ConfigReader& file, const Family& family) {
    check_variant(file, family);
    TransformerConfig config = read_sizes(file, "num_hidden_layers", "num_attention_heads");
    config.n_inner = file.size("intermediate_size");
    config.layer_norm_epsilon =
        static_cast<float>(file.positive_or("rms_norm_eps", family.epsilon));
    config.tie_word_embeddings = file.flag_or("tie_word_embeddings", family.tied);

    Architecture& a = config.architecture;
    a.model_type = family.type;
    a.norm = Norm::rms;
    a.learned_positions = false;
    a.gated = true;
    a.activation = family.gemma ? Activation::gelu : Activation::silu;
    read_heads(file, family, config);
    const bool biases =
        family.biases == Biases::by_key && file.flag_or("attention_bias", family.attention_bias);
    a.qkv_bias = biases || family.biases == Biases::qkv;
    a.attention_output_bias = biases;
    a.mlp_bias = family.mlp_bias && file.flag_or("mlp_bias", false);
    a.query_key_norm = family.query_key_norm;
    a.norm_place = family.norm_place;
    a.fused_weights = family.fused;
    if (family.gemma) {
        a.norm_adds_one = true;
        a.score_scalar = static_cast<float>(file.positive_or("query_pre_attn_scalar", 256));
        a.embedding_scale = std::sqrt(static_cast<float>(config.n_embd));
    }
    const auto number = [&](const char* key, double otherwise) {
        return static_cast<float>(file.positive_or(key, otherwise));
    };
    if (family.caps) {  // null: none
        a.score_cap = file.has("attn_logit_softcapping") ? number("attn_logit_softcapping", 0) : 50;
        a.logit_cap =
            file.has("final_logit_softcapping") ? number("final_logit_softcapping", 0) : 30;
    }
    if (family.multipliers) {
        a.embedding_scale = number("embedding_multiplier", 1);
        a.residual_scale = number("residual_multiplier", 1);
        a.logit_scale = 1 / number("logits_scaling", 1);
        const float multiplier = number("attention_multiplier", 1);
        a.score_scalar = 1 / (multiplier * multiplier);
    }
    read_rotaries(file, family, config);
    read_layers(file, family, config);
    read_experts(file, family, config);
    return config;
}

// ---- GPT-Neo ------------------------------------------------------------------------------------
// attention_types is a list of [["global", "local"], 6]: the kinds of some layers, and how often
// they come.
std::vector<LayerKind> neo_layers(const ConfigReader& file, int layers) {
    const int window = file.size_or("window_size", 256);
    const Json usual = Json::array({Json::array({Json::array({"global", "local"}), layers / 2})});
    const Json* given = file.find("attention_types");
    const auto fail = [&] {
        file.fail("attention_types is not a list of [[\"global\", \"local\"], count] for " +
                  std::to_string(layers) + " layers");
    };
    std::vector<LayerKind> kinds;
    for (const Json& part : given ? *given : usual) {
        if (!part.is_array() || part.size() != 2 || !part[0].is_array() || part[0].empty()) fail();
        for (int times = file.integer("attention_types", part[1], 0, layers); times > 0; --times)
            for (const Json& kind : part[0]) {
                if ((kind != "global" && kind != "local") || count(kinds) == layers) fail();
                kinds.push_back({kind == "local" ? window : 0, -1});
            }
    }
    if (count(kinds) != layers) fail();
    return kinds;
}

TransformerConfig read_neo(const ConfigReader& file) {
    TransformerConfig config = read_sizes(file, "num_layers", "num_heads");
    config.n_inner = file.size_or("intermediate_size", four_times(config.n_embd));
    config.layer_norm_epsilon = static_cast<float>(file.positive_or("layer_norm_epsilon", 1e-5));
    config.tie_word_embeddings = file.flag_or("tie_word_embeddings", true);
    const std::string activation = file.text_or("activation_function", "gelu_new");
    if (activation != "gelu_new")
        file.fail("activation_function is " + shown(activation) + ", expected gelu_new");
    Architecture& a = config.architecture;
    a.model_type = "gpt_neo";
    a.layers = neo_layers(file, config.n_layer);
    a.score_scalar = 1;  // scores are not divided
    a.qkv_bias = false;
    return config;
}

// ---- GPT-NeoX -----------------------------------------------------------------------------------
TransformerConfig read_neox(const ConfigReader& file) {
    TransformerConfig config = read_sizes(file, "num_hidden_layers", "num_attention_heads");
    config.n_inner = file.size_or("intermediate_size", four_times(config.n_embd));
    config.layer_norm_epsilon = static_cast<float>(file.positive_or("layer_norm_eps", 1e-5));
    config.tie_word_embeddings = file.flag_or("tie_word_embeddings", false);
    const std::string activation = file.text_or("hidden_act", "gelu");
    if (activation != "gelu" && activation != "gelu_new" && activation != "gelu_fast")
        file.fail("hidden_act is " + shown(activation) + ", expected gelu or gelu_new");
    Architecture& a = config.architecture;
    a.model_type = "gpt_neox";
    a.learned_positions = false;
    a.activation = activation == "gelu" ? Activation::gelu_erf : Activation::gelu;
    a.qkv_bias = a.attention_output_bias = file.flag_or("attention_bias", true);
    a.fused_weights = a.heads_in_turn = true;
    a.parallel = file.flag_or("use_parallel_residual", true);
    read_heads(file, {}, config);
    read_rotaries(file, {.theta = file.positive_or("rotary_emb_base", 1e4)}, config,
                  file.positive_or("rotary_pct", 0.25));
    a.layers.assign(index(config.n_layer), {0, 0});
    return config;
}

void read_special_ids(const ConfigReader& file, TransformerConfig& config) {
    const auto bos = file.ids("bos_token_id", config.vocab_size);
    const auto eos = file.ids("eos_token_id", config.vocab_size);
    if (bos.size() > 1) file.fail("bos_token_id is a list, expected one id");
    if (!bos.empty()) config.bos_token_id = bos[0];
    if (!eos.empty()) config.eos_token_ids = eos;
}

// A model that reads pictures, too, has the settings of its text model in text_config. Gemma 3's
// are only those that differ from the transformers library's values.
Json text_part(const Json& whole) {
    if (!whole.is_object() || !whole.contains("text_config") ||
        !whole.at("text_config").is_object())
        return whole;
    Json text = whole.at("text_config");
    const auto add = [&](const char* key, const Json& value) {
        if (!text.contains(key)) text[key] = value;
    };
    if (whole.value("model_type", Json()) == "gemma3") {
        add("model_type", "gemma3_text");
        for (const auto& [key, value] : {std::pair{"vocab_size", 262208},
                                         {"max_position_embeddings", 131072},
                                         {"hidden_size", 2304},
                                         {"intermediate_size", 9216},
                                         {"num_hidden_layers", 26},
                                         {"num_attention_heads", 8}})
            add(key, value);
    }
    for (const char* key : {"tie_word_embeddings", "bos_token_id", "eos_token_id", "torch_dtype",
                            "dtype", "quantization_config"})
        if (whole.contains(key)) add(key, whole.at(key));
    return text;
}

TransformerConfig read_config(const ConfigReader& file) {
    const std::string type = file.text_or("model_type", "missing");
    if (type == "gpt2_masked")
        file.fail("this model fills masks (--decoder diffusion), expected one of model_type gpt2");
    const Family* family = family_of(type);
    if (type != "gpt2" && !family) refuse_model_type(file, type);
    TransformerConfig config = !family                      ? read_gpt2(file)
                               : family->keys == Keys::neo  ? read_neo(file)
                               : family->keys == Keys::neox ? read_neox(file)
                                                            : read_llama(file, *family);
    config.torch_dtype = file.text_or("torch_dtype", file.text_or("dtype", "float32"));
    read_special_ids(file, config);
    check_config(config, file.path());
    return config;
}

}  // namespace

TransformerConfig read_config_file(const std::string& path) {
    return read_config(ConfigReader(path, text_part(read_json(path))));
}

TransformerConfig read_config_text(std::string_view json, const std::string& name) {
    return read_config(ConfigReader(name, text_part(parse_json(json, name))));
}

TransformerConfig read_model_config(const std::string& directory) {
    check_model_path(directory);
    if (is_model_file(directory)) return gguf_config(GgufFile(directory));
    TransformerConfig config = read_config_file(join_path(directory, "config.json"));
    const std::string generation = join_path(directory, "generation_config.json");
    if (file_exists(generation))
        read_special_ids(ConfigReader(generation, read_json(generation)), config);
    return config;
}

}  // namespace tbt
