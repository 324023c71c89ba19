#include "lib/model/model_config.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/config_reader.hpp"
#include "lib/model/gguf_model.hpp"
#include "lib/model/int4_file.hpp"
#include "lib/model/int8_file.hpp"
#include "lib/model/llama_config.hpp"
#include "lib/model/model_files.hpp"
#include "lib/model/rotary.hpp"

namespace tbt {

namespace {

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
    // Only our own formats of 8 and 4 bits are supported (int8_file.hpp, int4_file.hpp).
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

void read_special_ids(const ConfigReader& file, TransformerConfig& config) {
    const auto bos = file.ids("bos_token_id", config.vocab_size);
    const auto eos = file.ids("eos_token_id", config.vocab_size);
    if (bos.size() > 1) file.fail("bos_token_id is a list, expected one id");
    if (!bos.empty()) config.bos_token_id = bos[0];
    if (!eos.empty()) config.eos_token_ids = eos;
}

}  // namespace

TransformerConfig gpt_config(int layers, int heads, int channels, int positions, int vocabulary) {
    TransformerConfig config;
    config.vocab_size = vocabulary;
    config.n_positions = positions;
    config.n_embd = channels;
    config.n_layer = layers;
    config.n_head = heads;
    config.n_inner = 4 * channels;
    return config;
}

static TransformerConfig read_gpt2_config(const ConfigReader& file) {
    check_gpt2_variant(file);
    TransformerConfig config;
    config.vocab_size = file.size("vocab_size");
    config.n_positions = file.size("n_positions");
    config.n_embd = file.size("n_embd");
    config.n_layer = file.size("n_layer");
    config.n_head = file.size("n_head");
    config.n_inner =
        file.size_or("n_inner", to_int(std::min<std::int64_t>(4ll * config.n_embd, largest_size)));
    config.tie_word_embeddings = file.flag_or("tie_word_embeddings", true);
    config.torch_dtype = file.text_or("torch_dtype", file.text_or("dtype", "float32"));
    if (const Json* epsilon = file.find("layer_norm_epsilon")) {
        if (!epsilon->is_number())
            file.fail("layer_norm_epsilon", *epsilon, "a small positive number");
        config.layer_norm_epsilon = epsilon->get<float>();
    }
    return config;
}

TransformerConfig read_config_file(const std::string& path) {
    return read_config(ConfigReader(path));
}

TransformerConfig read_config(const ConfigReader& file) {
    const std::string type = file.text_or("model_type", "missing");
    if (type == "gpt2_masked")
        file.fail("this model fills masks (--decoder diffusion), expected one of model_type gpt2");
    if (type != "gpt2" && !is_llama_family(type)) refuse_model_type(file, type);
    TransformerConfig config =
        type == "gpt2" ? read_gpt2_config(file) : read_llama_config(file, type);
    read_special_ids(file, config);
    check_config(config, file.path());
    return config;
}

TransformerConfig read_model_config(const std::string& directory) {
    check_model_path(directory);
    if (is_model_file(directory)) return gguf_config(GgufFile(directory));
    TransformerConfig config = read_config_file(join_path(directory, "config.json"));
    const std::string generation = join_path(directory, "generation_config.json");
    if (file_exists(generation)) read_special_ids(ConfigReader(generation), config);
    return config;
}

// For a file this is checked when it is read; but a caller can also set the members of the struct.
static void check_architecture(const TransformerConfig& config, const std::string& name) {
    const Architecture& a = config.architecture;
    const auto expect = [&](bool holds, const char* what, long long got, const char* expected) {
        if (!holds)
            throw Error(name + ": " + what + " is " + std::to_string(got) + ", expected " +
                        expected);
    };
    const bool llama = a.norm == Norm::rms && !a.learned_positions && a.gated;
    if (a.is_gpt2() ? a != Architecture{} : !is_llama_family(a.model_type) || !llama)
        throw Error(name + ": model_type " + shown(a.model_type) +
                    " with another model's parts; expected what read_config_file, gpt_config or "
                    "llama_config make");
    expect(a.head_size >= 0 && a.head_size <= 1 << 16, "head_size", a.head_size, "0 to 65536");
    expect(a.kv_heads >= 0 && config.n_head % std::max(1, config.kv_heads()) == 0, "kv_heads",
           a.kv_heads, "a divisor of n_head");
    const std::int64_t row = config.query_size() + 2 * config.kv_size();
    expect(row <= 4 * std::int64_t{largest_size}, "a token's queries, keys and values", row,
           "at most 2^26");
    expect(a.layers.empty() || count(a.layers) == config.n_layer, "the number of layer kinds",
           count(a.layers), "n_layer");
    expect(!a.rotaries.empty() || a.layers.empty() ||
               std::all_of(a.layers.begin(), a.layers.end(),
                           [](const LayerKind& kind) { return kind.rotary < 0; }),
           "the number of rotaries", 0, "one at least");
    for (const LayerKind& kind : a.layers) {
        expect(kind.window >= 0, "a layer's window", kind.window, "0 or more");
        expect(kind.rotary >= -1 && kind.rotary < count(a.rotaries), "a layer's rotary",
               kind.rotary, "-1 or an index of rotaries");
    }
    expect(a.rotary_size >= 0 && a.rotary_size <= config.head_size(), "rotary_size", a.rotary_size,
           "at most the head size");
    if (!(a.score_scalar >= 0) || !std::isfinite(a.score_scalar) ||
        !std::isfinite(a.embedding_scale))
        throw Error(name + ": score_scalar or embedding_scale is not a number");
    for (const Rotary& rotary : a.rotaries) rotary_frequencies(rotary, a.rotary_size);
}

void check_config(const TransformerConfig& config, const std::string& name) {
    const auto fail = [&](const std::string& what) { throw Error(name + ": " + what); };
    const auto check_size = [&](const char* key, int value) {
        if (value >= 1 && value <= largest_size) return;
        fail(std::string(key) + " is " + std::to_string(value) + ", expected 1 to " +
             std::to_string(largest_size));
    };
    check_size("vocab_size", config.vocab_size);
    check_size("n_positions", config.n_positions);
    check_size("n_embd", config.n_embd);
    check_size("n_layer", config.n_layer);
    check_size("n_head", config.n_head);
    check_size("n_inner", config.n_inner);
    if (config.architecture.head_size == 0 && config.n_embd % config.n_head != 0) {
        fail("n_embd is " + std::to_string(config.n_embd) + ", expected a multiple of n_head, " +
             std::to_string(config.n_head));
    }
    if (!(config.layer_norm_epsilon > 0 && config.layer_norm_epsilon < 1)) {
        fail("layer_norm_epsilon is " + std::to_string(config.layer_norm_epsilon) +
             ", expected a small positive number");
    }
    check_architecture(config, name);
    const auto check_id = [&](const char* key, int id) {
        if (id >= 0 && id < config.vocab_size) return;
        fail(std::string(key) + " is " + std::to_string(id) + ", expected 0 to " +
             std::to_string(config.vocab_size - 1));
    };
    if (config.bos_token_id) check_id("bos_token_id", *config.bos_token_id);
    for (const int id : config.eos_token_ids) check_id("eos_token_id", id);
    constexpr std::int64_t most = std::int64_t{1} << 40;
    if (parameter_count(config) > most) {
        fail("these sizes make more than 2^40 weights (n_embd " + std::to_string(config.n_embd) +
             ", n_layer " + std::to_string(config.n_layer) + ", vocab_size " +
             std::to_string(config.vocab_size) + "), expected " +
             (config.architecture.is_gpt2() ? "a GPT-2" : "fewer"));
    }
}

void require_gpt2(const TransformerConfig& config, const std::string& who) {
    if (!config.architecture.is_gpt2())
        throw Error(who + ": the model is of model_type " + config.architecture.model_type +
                    ", expected gpt2");
}

}  // namespace tbt
