// Llama's layers as their definitions have them, in double, beside those of gradients.hpp.
#pragma once

#include "lib/model/model_config.hpp"
#include "lib/train/gated_layers.hpp"
#include "tests/support/gradients.hpp"

namespace tbt::train::test {

inline Doubles rms_norm_of(const Doubles& x, const Doubles& gain, double epsilon) {
    const std::size_t C = gain.size();
    Doubles y(x.size());
    for (std::size_t m = 0; m < x.size(); m += C) {
        double square = 0;
        for (std::size_t c = 0; c < C; ++c) square += x[m + c] * x[m + c];
        for (std::size_t c = 0; c < C; ++c)
            y[m + c] = x[m + c] / std::sqrt(square / static_cast<double>(C) + epsilon) * gain[c];
    }
    return y;
}

// silu(gate) · up of rows that hold gate (F), then up (F).
inline Doubles gate_silu_of(const Doubles& x, std::size_t F) {
    Doubles y(x.size() / 2);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t gate = i / F * 2 * F + i % F;
        y[i] = x[gate] / (1 + std::exp(-x[gate])) * x[gate + F];
    }
    return y;
}

// Queries and keys turned by position · θ^(−2i/D), pairs (i, i + D/2).
inline Doubles turned(Doubles qkv, const BatchShape& s, double theta) {
    const auto D = static_cast<std::size_t>(s.D), row = static_cast<std::size_t>(s.row()),
               heads = static_cast<std::size_t>(s.H + s.kv_heads());
    for (std::size_t m = 0; m < qkv.size() / row; ++m) {
        const auto position = static_cast<double>(m % static_cast<std::size_t>(s.T));
        for (std::size_t h = 0; h < heads; ++h) {
            for (std::size_t i = 0; i < D / 2; ++i) {
                const double angle = position * std::pow(theta, -2.0 * static_cast<double>(i) /
                                                                    static_cast<double>(D));
                double &a = qkv[m * row + h * D + i], &b = qkv[m * row + h * D + i + D / 2];
                const double x = a, y = b;
                a = x * std::cos(angle) - y * std::sin(angle);
                b = y * std::cos(angle) + x * std::sin(angle);
            }
        }
    }
    return qkv;
}

// w (N, K) as files of Llama have it, as (K, N).
inline Doubles transposed(const Doubles& w, std::size_t K) {
    const std::size_t N = w.size() / K;
    Doubles t(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) t[i % K * N + i / K] = w[i];
    return t;
}

// The loss of a whole Llama, from the parameters as one block.
inline double llama_loss(const Doubles& block, const ParameterLayout& layout, const Example& e) {
    const auto p = [&](const std::string& name) {
        const auto first = block.begin() + layout[name + ".weight"].offset;
        return Doubles(first, first + layout[name + ".weight"].size);
    };
    const auto product = [&](const Doubles& x, const std::string& name) {
        const auto K = static_cast<std::size_t>(layout[name + ".weight"].shape[1]);
        const Doubles w = transposed(p(name), K);
        return linear_of(x, w, Doubles(w.size() / K));
    };
    const TransformerConfig& c = e.shape;
    const auto C = static_cast<std::size_t>(c.n_embd), F = static_cast<std::size_t>(c.n_inner);
    const BatchShape shape{e.B, e.T, c.n_head, c.head_size(), true, c.kv_heads()};
    const double epsilon = static_cast<double>(c.layer_norm_epsilon);
    const Doubles embedding = p("model.embed_tokens");
    Doubles x(e.ids.size() * C);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = embedding[static_cast<std::size_t>(e.ids[i / C]) * C + i % C];
    const auto add = [&x](const Doubles& y) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
    };
    // Rows of several products, side by side.
    const auto beside = [&](const Doubles& in, const std::vector<std::string>& names) {
        Doubles rows;
        const std::size_t M = in.size() / C;
        std::vector<Doubles> parts;
        for (const std::string& name : names) parts.push_back(product(in, name));
        for (std::size_t m = 0; m < M; ++m) {
            for (const Doubles& part : parts) {
                const auto n = static_cast<std::ptrdiff_t>(part.size() / M);
                const auto first = part.begin() + static_cast<std::ptrdiff_t>(m) * n;
                rows.insert(rows.end(), first, first + n);
            }
        }
        return rows;
    };
    for (int l = 0; l < c.n_layer; ++l) {
        const std::string h = "model.layers." + std::to_string(l) + ".";
        const Doubles qkv =
            beside(rms_norm_of(x, p(h + "input_layernorm"), epsilon),
                   {h + "self_attn.q_proj", h + "self_attn.k_proj", h + "self_attn.v_proj"});
        add(product(attention_of(turned(qkv, shape, c.architecture.rotaries[0].theta), shape),
                    h + "self_attn.o_proj"));
        const Doubles up = beside(rms_norm_of(x, p(h + "post_attention_layernorm"), epsilon),
                                  {h + "mlp.gate_proj", h + "mlp.up_proj"});
        add(product(gate_silu_of(up, F), h + "mlp.down_proj"));
    }
    const Doubles normed = rms_norm_of(x, p("model.norm"), epsilon);
    return cross_entropy_of(
        product(normed, c.tie_word_embeddings ? "model.embed_tokens" : "lm_head"), e.targets);
}

}  // namespace tbt::train::test
