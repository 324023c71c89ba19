#include "lib/model/weight_shapes.hpp"

#include <algorithm>
#include <initializer_list>

#include "lib/core/error.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

namespace {

// The weights of Llama and similar models.
std::vector<WeightShape> llama_shapes(const TransformerConfig& config) {
    const Architecture& a = config.architecture;
    const std::int64_t c = config.n_embd, f = config.n_inner, v = config.vocab_size,
                       q = config.query_size(), k = config.kv_size(), d = config.head_size();
    std::vector<WeightShape> all = {{"model.embed_tokens.weight", {v, c}}};
    std::string prefix;
    const auto vector = [&](const char* name, std::int64_t n) {
        all.push_back({prefix + name + ".weight", {n}});
    };
    const auto matrix = [&](const char* name, std::int64_t out, std::int64_t in, bool bias) {
        all.push_back({prefix + name + ".weight", {out, in}});
        if (bias) all.push_back({prefix + name + ".bias", {out}});
    };
    for (int layer = 0; layer < config.n_layer; ++layer) {
        prefix = "model.layers." + std::to_string(layer) + ".";
        if (a.norm_place != NormPlace::output) vector("input_layernorm", c);
        vector("post_attention_layernorm", c);
        if (a.norm_place == NormPlace::both) vector("pre_feedforward_layernorm", c);
        if (a.norm_place != NormPlace::input) vector("post_feedforward_layernorm", c);
        if (a.fused_weights) {
            matrix("self_attn.qkv_proj", q + 2 * k, c, a.qkv_bias);
            matrix("mlp.gate_up_proj", 2 * f, c, a.mlp_bias);
        } else {
            matrix("self_attn.q_proj", q, c, a.qkv_bias);
            matrix("self_attn.k_proj", k, c, a.qkv_bias);
            matrix("self_attn.v_proj", k, c, a.qkv_bias);
            matrix("mlp.gate_proj", f, c, a.mlp_bias);
            matrix("mlp.up_proj", f, c, a.mlp_bias);
        }
        if (a.query_key_norm != QueryKeyNorm::none) {
            const bool head = a.query_key_norm == QueryKeyNorm::head;
            vector("self_attn.q_norm", head ? d : q);
            vector("self_attn.k_norm", head ? d : k);
        }
        matrix("self_attn.o_proj", c, q, a.attention_output_bias);
        matrix("mlp.down_proj", c, f, a.mlp_bias);
    }
    prefix = "";
    vector("model.norm", c);
    if (!config.tie_word_embeddings) matrix("lm_head", v, c, false);
    return all;
}

}  // namespace

std::vector<WeightShape> weight_shapes(const TransformerConfig& config) {
    if (config.n_layer < 0 || config.n_layer > max_layers)
        throw Error("n_layer is " + std::to_string(config.n_layer) + ", expected at most " +
                    std::to_string(max_layers));
    if (!config.architecture.is_gpt2()) return llama_shapes(config);
    const std::int64_t c = config.n_embd, f = config.n_inner, v = config.vocab_size;
    std::vector<WeightShape> all = {{"wte.weight", {v, c}},
                                    {"wpe.weight", {config.n_positions, c}}};
    for (int layer = 0; layer < config.n_layer; ++layer) {
        const std::string h = "h." + std::to_string(layer) + ".";
        for (const auto& [name, shape] :
             std::initializer_list<WeightShape>{{"ln_1.weight", {c}},
                                                {"ln_1.bias", {c}},
                                                {"attn.c_attn.weight", {c, 3 * c}},
                                                {"attn.c_attn.bias", {3 * c}},
                                                {"attn.c_proj.weight", {c, c}},
                                                {"attn.c_proj.bias", {c}},
                                                {"ln_2.weight", {c}},
                                                {"ln_2.bias", {c}},
                                                {"mlp.c_fc.weight", {c, f}},
                                                {"mlp.c_fc.bias", {f}},
                                                {"mlp.c_proj.weight", {f, c}},
                                                {"mlp.c_proj.bias", {c}}}) {
            all.push_back({h + name, shape});
        }
    }
    all.push_back({"ln_f.weight", {c}});
    all.push_back({"ln_f.bias", {c}});
    if (!config.tie_word_embeddings) all.push_back({"lm_head.weight", {v, c}});
    return all;
}

std::int64_t parameter_count(const TransformerConfig& config) {
    // A product of three sizes, each up to 2^24, can exceed 64 bits. So counts are doubles first,
    // and anything above 2^60 is "too many".
    constexpr double too_many = 0x1p60;
    const auto with_layers = [&](int layers) {
        TransformerConfig c = config;
        c.n_layer = layers;
        double sum = 0;
        for (const WeightShape& w : weight_shapes(c)) {
            double size = 1;
            for (const std::int64_t d : w.shape) size *= static_cast<double>(d);
            sum += size;
        }
        return sum;
    };
    const double none = with_layers(0), layer = with_layers(1) - none;
    return static_cast<std::int64_t>(std::min(none + config.n_layer * layer, too_many));
}

}  // namespace tbt
