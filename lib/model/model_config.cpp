#include "lib/model/model_config.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "lib/core/error.hpp"
#include "lib/core/unicode.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/rotary.hpp"
#include "lib/model/weight_names.hpp"

namespace tbt {

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

// ---- checks -------------------------------------------------------------------------------------

// For a file this is checked when it is read; but a caller can also set the members of the struct.
static void check_architecture(const TransformerConfig& config, const std::string& name) {
    const Architecture& a = config.architecture;
    const auto expect = [&](bool holds, const char* what, long long got, const char* expected) {
        if (!holds)
            throw Error(name + ": " + what + " is " + std::to_string(got) + ", expected " +
                        expected);
    };
    const bool neo = a.model_type == "gpt_neo", neox = a.model_type == "gpt_neox",
               known = std::count(std::begin(other_types), std::end(other_types), a.model_type) > 0,
               fits = (a.norm == Norm::layer) == (neo || neox) && a.learned_positions == neo &&
                      a.gated == !(neo || neox);
    // What the forward pass has no code for.
    const bool input_only = a.norm_place == NormPlace::input,
               runs = (input_only || (a.gated && !a.parallel && a.experts == 0)) &&
                      (a.gated || (a.query_key_norm == QueryKeyNorm::none && a.experts == 0)) &&
                      (a.activation == Activation::gelu ||
                       a.gated == (a.activation != Activation::gelu_erf));
    if (a.is_gpt2() ? a != Architecture{} : !known || !fits || !runs)
        throw Error(name + ": model_type " + shown(a.model_type) +
                    " with another model's parts; expected what read_config_file, gpt_config or "
                    "llama_config make");
    expect(a.head_size >= 0 && a.head_size <= 1 << 16, "head_size", a.head_size, "0 to 65536");
    expect(a.kv_heads >= 0 && config.n_head % std::max(1, config.kv_heads()) == 0, "kv_heads",
           a.kv_heads, "a divisor of n_head");
    expect(!a.heads_in_turn || config.kv_heads() == config.n_head, "kv_heads", a.kv_heads,
           "n_head, where queries, keys and values are stored head by head");
    const std::int64_t row = config.query_size() + 2 * config.kv_size();
    expect(row <= 4 * std::int64_t{largest_size}, "a token's queries, keys and values", row,
           "at most 2^26");
    expect(a.layers.empty() || count(a.layers) == config.n_layer, "the number of layer kinds",
           count(a.layers), "n_layer");
    expect(!a.rotaries.empty() || a.layers.empty() ||
               std::all_of(a.layers.begin(), a.layers.end(),
                           [](const LayerKind& kind) { return kind.rotary < 0; }),
           "the number of rotaries", 0, "one at least");
    expect(a.experts >= 0 && std::int64_t{a.experts} * config.n_layer <= max_layers, "experts",
           a.experts, "0 or more, in all layers together at most 65536");
    expect(a.experts == 0 ? a.experts_per_token == 0
                          : a.experts_per_token >= 1 && a.experts_per_token <= a.experts,
           "experts_per_token", a.experts_per_token, "1 to the number of experts");
    expect(a.expert_inner >= (a.experts > 0 ? 1 : 0) && a.expert_inner <= largest_size,
           "expert_inner", a.expert_inner, "a positive number, at most 2^24");
    for (const LayerKind& kind : a.layers) {
        expect(!kind.experts || a.experts > 0, "experts", a.experts,
               "one at least for a layer with experts");
        expect(kind.window >= 0, "a layer's window", kind.window, "0 or more");
        expect(kind.rotary >= -1 && kind.rotary < count(a.rotaries), "a layer's rotary",
               kind.rotary, "-1 or an index of rotaries");
    }
    expect(a.rotary_size >= 0 && a.rotary_size <= config.head_size(), "rotary_size", a.rotary_size,
           "at most the head size");
    if (!(a.score_scalar >= 0) || !(a.score_cap >= 0) || !(a.logit_cap >= 0))
        throw Error(name + ": score_scalar, score_cap or logit_cap is not a number of 0 or more");
    for (const float scale : {a.score_scalar, a.score_cap, a.logit_cap, a.embedding_scale,
                              a.residual_scale, a.logit_scale, a.activation_limit})
        if (!std::isfinite(scale))
            throw Error(name + ": score_scalar, embedding_scale or another scale is not a number");
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

// ---- weights ------------------------------------------------------------------------------------

namespace {

// The router and the experts of a layer; add: a matrix of the layer.
template <class Add>
void add_expert_shapes(const TransformerConfig& config, const WeightNames& names, const Add& add) {
    const Architecture& a = config.architecture;
    const std::int64_t c = config.n_embd, inner = a.expert_inner;
    add(names.router, a.experts, c, a.expert_biases);
    for (int e = 0; e < a.experts; ++e) {
        const auto matrix = [&](std::string_view name, std::int64_t out, std::int64_t in) {
            add(std::string(names.experts) + std::to_string(e) + "." + std::string(name), out, in,
                a.expert_biases);
        };
        if (names.expert_gate_up.empty()) {
            matrix(names.expert_gate, inner, c);
            matrix(names.expert_up, inner, c);
        } else {
            matrix(names.expert_gate_up, 2 * inner, c);
        }
        matrix(names.expert_down, c, inner);
    }
}

// The weights of all models but GPT-2.
std::vector<WeightShape> todays_shapes(const TransformerConfig& config) {
    const Architecture& a = config.architecture;
    const WeightNames& names = weight_names(a);
    const std::int64_t c = config.n_embd, f = config.n_inner, v = config.vocab_size,
                       q = config.query_size(), k = config.kv_size(), d = config.head_size();
    std::vector<WeightShape> all;
    std::string prefix;
    const auto vector = [&](std::string_view name, std::int64_t n) {
        all.push_back({prefix + std::string(name) + ".weight", {n}});
    };
    const auto norm = [&](std::string_view name) {
        vector(name, c);
        if (a.norm == Norm::layer) all.push_back({prefix + std::string(name) + ".bias", {c}});
    };
    const auto matrix = [&](std::string_view name, std::int64_t out, std::int64_t in, bool bias) {
        all.push_back({prefix + std::string(name) + ".weight", {out, in}});
        if (bias) all.push_back({prefix + std::string(name) + ".bias", {out}});
    };
    matrix(names.embedding, v, c, false);
    if (a.learned_positions) matrix(names.positions, config.n_positions, c, false);
    for (int layer = 0; layer < config.n_layer; ++layer) {
        prefix = std::string(names.layers) + std::to_string(layer) + ".";
        const bool dense = !config.layer(layer).experts;
        if (a.norm_place != NormPlace::output) norm(names.norm1);
        norm(names.norm2);
        if (a.norm_place == NormPlace::both) norm("pre_feedforward_layernorm");
        if (a.norm_place != NormPlace::input) norm("post_feedforward_layernorm");
        if (a.fused_weights) {
            matrix(names.query_key_value, q + 2 * k, c, a.qkv_bias);
            if (dense && a.gated) matrix(names.gate_up, 2 * f, c, a.mlp_bias);
        } else {
            matrix(names.query, q, c, a.qkv_bias);
            matrix(names.key, k, c, a.qkv_bias);
            matrix(names.value, k, c, a.qkv_bias);
            if (dense && a.gated) matrix(names.gate, f, c, a.mlp_bias);
        }
        if (dense && (!a.fused_weights || !a.gated)) matrix(names.up, f, c, a.mlp_bias);
        if (a.query_key_norm != QueryKeyNorm::none) {
            const bool head = a.query_key_norm == QueryKeyNorm::head;
            vector("self_attn.q_norm", head ? d : q);
            vector("self_attn.k_norm", head ? d : k);
        }
        if (a.sinks) all.push_back({prefix + "self_attn.sinks", {config.n_head}});
        matrix(names.output, c, q, a.attention_output_bias);
        if (dense) matrix(names.down, c, f, a.mlp_bias);
        if (!dense) add_expert_shapes(config, names, matrix);
    }
    prefix = "";
    norm(names.norm);
    if (!config.tie_word_embeddings) matrix(names.head, v, c, false);
    return all;
}

}  // namespace

int short_context(const TransformerConfig& config) {
    for (const Rotary& rotary : config.architecture.rotaries)
        if (rotary.scaling == RotaryScaling::longrope)
            return std::min(rotary.original_positions, config.n_positions);
    return 0;
}

std::vector<WeightShape> weight_shapes(const TransformerConfig& config) {
    if (config.n_layer < 0 || config.n_layer > max_layers)
        throw Error("n_layer is " + std::to_string(config.n_layer) + ", expected at most " +
                    std::to_string(max_layers));
    const auto& kinds = config.architecture.layers;
    if (!kinds.empty() && count(kinds) != config.n_layer)
        throw Error("the architecture has " + std::to_string(kinds.size()) +
                    " kinds of layers, expected one for each of the " +
                    std::to_string(config.n_layer) + " layers");
    if (!config.architecture.is_gpt2()) return todays_shapes(config);
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

// The number of layers with a mixture of experts.
static int sparse_layers(const TransformerConfig& config) {
    const auto& layers = config.architecture.layers;
    return to_int(std::count_if(layers.begin(), layers.end(),
                                [](const LayerKind& layer) { return layer.experts; }));
}

std::int64_t parameter_count(const TransformerConfig& config) {
    // A product of three sizes, each up to 2^24, can exceed 64 bits. So counts are doubles first,
    // and anything above 2^60 is "too many".
    constexpr double too_many = 0x1p60;
    const auto with_layers = [&](std::vector<LayerKind> layers) {
        TransformerConfig c = config;
        c.n_layer = count(layers);
        c.architecture.layers = std::move(layers);
        double sum = 0;
        for (const WeightShape& w : weight_shapes(c)) {
            double size = 1;
            for (const std::int64_t d : w.shape) size *= static_cast<double>(d);
            sum += size;
        }
        return sum;
    };
    const double none = with_layers({}), layer = with_layers({LayerKind{}}) - none;
    const auto sparse = sparse_layers(config);
    double sum = none + (config.n_layer - sparse) * layer;
    if (sparse > 0) sum += sparse * (with_layers({LayerKind{0, -1, true}}) - none);
    return static_cast<std::int64_t>(std::min(sum, too_many));
}

WeightStart weight_start(const TransformerConfig& config, std::string_view name) {
    if (name.ends_with(".bias") || name.ends_with(".sinks")) return {};
    if (name.find("ln_") != std::string_view::npos || name.find("norm.") != std::string_view::npos)
        return {config.architecture.norm_adds_one ? 0.0f : 1.0f, 0};
    if (name == "wpe.weight") return {0, 0.01};
    if (name.ends_with("c_proj.weight") || name.ends_with("o_proj.weight") ||
        name.ends_with("down_proj.weight"))
        return {0, 0.02 / std::sqrt(2.0 * config.n_layer)};
    return {0, 0.02};
}

// ---- memory -------------------------------------------------------------------------------------

namespace {

// Products of four sizes can exceed 64 bits, so they are doubles, which are exact up to 2^53.
std::int64_t bytes(double count) { return static_cast<std::int64_t>(std::min(count, 0x1p60)); }

double rounded_up(double n, double step) {
    const double rest = n - step * static_cast<double>(static_cast<std::int64_t>(n / step));
    return rest > 0 ? n + step - rest : n;
}

}  // namespace

MemoryPlan plan_memory(const TransformerConfig& config, WeightType type, int context, int batch) {
    check_config(config, "memory");
    if (context < 1 || context > config.n_positions) {
        throw Error("memory: a context of " + std::to_string(context) + " tokens, expected 1 to " +
                    std::to_string(config.n_positions) + ", the model's n_positions");
    }
    if (batch < 1)
        throw Error("memory: a batch of " + std::to_string(batch) + ", expected at least 1");
    const double C = config.n_embd, F = config.n_inner, V = config.vocab_size,
                 P = config.n_positions, L = config.n_layer;
    // int4: 32 weights take 16 bytes and a multiplier of one byte; the output matrix has 8 bits.
    const double out = static_cast<double>(bytes_of(type)),
                 b = type == WeightType::int4 ? 17.0 / 32 : out;
    const double T = context, B = batch, rows = std::max(T, B);
    // The columns of a matrix and the components of a head are padded to a multiple of sixteen.
    const auto columns = [](double n) { return rounded_up(n, 16); };
    const double heads = config.kv_heads() * rounded_up(config.head_size(), 16);
    const Architecture& a = config.architecture;
    const double Q = static_cast<double>(config.query_size()),
                 N = Q + 2 * static_cast<double>(config.kv_size()), U = a.gated ? 2 * F : F;
    const double blocks = rounded_up(T, KvCache::block_tokens);
    MemoryPlan plan;
    const double sparse = sparse_layers(config), E = a.experts, X = a.expert_inner;
    plan.matrices = bytes((L * (C * columns(N) + Q * columns(C)) +
                           (L - sparse) * (C * columns(U) + F * columns(C)) +
                           sparse * E * (C * columns(2 * X) + X * columns(C))) *
                              b +
                          sparse * C * columns(E) * 4);
    plan.output = bytes(C * columns(V) * out);
    // The output matrix is used as the embedding, too, if it is kept in the stored type or as f32,
    // or beside matrices in 4 bits.
    const WeightType stored = weight_type_named(config.torch_dtype).value_or(WeightType::f32);
    const bool shared = config.tie_word_embeddings &&
                        (type == WeightType::f32 || type == WeightType::int4 || type == stored);
    plan.embeddings = bytes((shared || type == WeightType::blocks
                                 ? 0
                                 : columns(V) * static_cast<double>(bytes_of(stored))) *
                                C +
                            (a.learned_positions ? P * C * 4 : 0));
    plan.vectors = bytes((L * (9 * C + F) + 2 * C) * 4);
    plan.cache =
        bytes(2 * L * heads * blocks * B * static_cast<double>(bytes_of(config.cache_type)));
    plan.activations =
        bytes(rows * (2 * C + N + Q + U) * 4 + std::min<double>(rows, expert_rows) *
                                                   (a.experts_per_token * (2 * C + 2 * X) + E) * 4);
    plan.logits = bytes(B * V * 4);
    return plan;
}

void check_memory(const std::string& who, std::int64_t needed, std::int64_t available) {
    if (available <= 0 || needed <= available) return;
    throw Error(
        who + ": the model needs about " + std::to_string(needed >> 20) + " MiB of memory, " +
        std::to_string(available >> 20) +
        " MiB are available; use a smaller model, context or batch, or weights of fewer bits");
}

}  // namespace tbt
