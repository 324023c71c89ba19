// A whole Llama in plain code: token ids in, logits out. [Touvron et al. 2023]
//
//   x = embed[token]
//   for each layer:   x += attention(norm(x));   x += mlp(norm(x))
//   logits = norm(x) · headᵀ
//
// T tokens, C channels, H query heads, K key heads, D components a head, F inner, V words. Every
// sum runs in the order of the library's kernels, so the logits have the library's bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "chapters/25_todays_models/plain_llama_layers.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt {

struct PlainLlama {
    std::size_t layers = 0, heads = 0, kv_heads = 0, channels = 0, head_size = 0, inner = 0;
    std::size_t vocab_size = 0, positions = 0;
    std::size_t window = 0;  // a token sees so many, itself included; 0: all before it
    float epsilon = 1e-5f;
    double theta = 10000;
    bool tied = true;                    // the head is the embedding
    std::map<std::string, Row> weights;  // by their names on the hub: (outputs, inputs) row by row

    // Parts given back, to see what they do (chapter 25's program).
    bool layer_norm = false;   // takes off the mean, as GPT-2's norm
    bool no_rotation = false;  // tokens have no positions
    bool no_gate = false;      // down(silu(up(x))): an MLP of two matrices

    // The residual x (T, C) after the last layer. Throws Error on no ids, too many, an unknown one.
    Rows forward(const std::vector<int>& ids) const {
        check(ids);
        Rows x;
        for (const int id : ids) {
            const float* row =
                w("model.embed_tokens").data() + static_cast<std::size_t>(id) * channels;
            x.push_back(Row(row, row + channels));
        }
        for (std::size_t layer = 0; layer < layers; ++layer) {
            const std::string l = "model.layers." + std::to_string(layer) + ".";
            add_attention(x, l);
            for (Row& row : x) add_linear(row, features(row, l), l + "mlp.down_proj");
        }
        return x;
    }

    Row logits(const Row& x) const {
        Row s(vocab_size, 0.0f);
        add_linear(s, norm(x, "model.norm"), tied ? "model.embed_tokens" : "lm_head");
        return s;
    }

    Row norm(const Row& x, const std::string& name) const {
        if (layer_norm) return tbt::layer_norm(x, w(name), Row(x.size(), 0.0f), epsilon);
        return rms_norm(x, w(name), epsilon);
    }

    // Queries (H · D), keys and values (K · D each) of a token, rotated by its position.
    struct Qkv {
        Row q, k, v;
    };
    Qkv queries_keys_values(const Row& x, const std::string& l, std::size_t position) const {
        const Row n = norm(x, l + "input_layernorm");
        Qkv t{Row(heads * head_size, 0.0f), Row(kv_heads * head_size, 0.0f), {}};
        t.v = t.k;
        add_linear(t.q, n, l + "self_attn.q_proj");
        add_linear(t.k, n, l + "self_attn.k_proj");
        add_linear(t.v, n, l + "self_attn.v_proj");
        if (no_rotation) return t;
        const auto p = static_cast<double>(position);
        for (std::size_t h = 0; h < heads; ++h) rotate(t.q, h * head_size, head_size, p, theta);
        for (std::size_t h = 0; h < kv_heads; ++h) rotate(t.k, h * head_size, head_size, p, theta);
        return t;
    }

    // gate(x) says how much of each number of up(x) goes on. [Shazeer 2020]
    Row features(const Row& x, const std::string& l) const {
        const Row n = norm(x, l + "post_attention_layernorm");
        Row gate(inner, 0.0f), up(inner, 0.0f);
        add_linear(gate, n, l + "mlp.gate_proj");
        add_linear(up, n, l + "mlp.up_proj");
        for (std::size_t f = 0; f < inner; ++f)
            up[f] = no_gate ? silu(up[f]) : silu(gate[f]) * up[f];
        return up;
    }

private:
    void add_attention(Rows& x, const std::string& l) const {
        std::vector<Qkv> tokens;
        for (std::size_t t = 0; t < x.size(); ++t)
            tokens.push_back(queries_keys_values(x[t], l, t));
        for (std::size_t t = 0; t < x.size(); ++t) {
            Row mixed;
            for (std::size_t h = 0; h < heads; ++h) {
                const Row answer = attend(tokens, t, h);
                mixed.insert(mixed.end(), answer.begin(), answer.end());
            }
            add_linear(x[t], mixed, l + "self_attn.o_proj");
        }
    }

    // Chapter 18's head, which reads the keys and values of its group.
    Row attend(const std::vector<Qkv>& tokens, std::size_t t, std::size_t h) const {
        const std::size_t D = head_size, kv = h / (heads / kv_heads) * D;
        const std::size_t from = window > 0 && t + 1 > window ? t + 1 - window : 0;
        Row s(t + 1, -INFINITY);
        for (std::size_t u = from; u <= t; ++u) {
            s[u] = 0;
            for (std::size_t d = 0; d < D; ++d)
                s[u] = std::fma(tokens[t].q[h * D + d], tokens[u].k[kv + d], s[u]);
            s[u] *= 1.0f / std::sqrt(static_cast<float>(D));
        }
        const float largest = *std::max_element(s.begin(), s.end());
        for (float& e : s) e = portable_expf(e - largest);
        const float inverse = 1.0f / sum_of(s, [](float e) { return e; });
        Row even(D, 0.0f), odd(D, 0.0f);
        for (std::size_t u = from; u <= t; ++u) {
            Row& sum = u % 2 == 0 ? even : odd;
            for (std::size_t d = 0; d < D; ++d)
                sum[d] = std::fma(s[u], tokens[u].v[kv + d], sum[d]);
        }
        for (std::size_t d = 0; d < D; ++d) even[d] = (even[d] + odd[d]) * inverse;
        return even;
    }

    // y += w · x
    void add_linear(Row& y, const Row& x, const std::string& name) const {
        const float* row = w(name).data();
        for (std::size_t n = 0; n < y.size(); ++n, row += x.size())
            for (std::size_t k = 0; k < x.size(); ++k) y[n] = std::fma(x[k], row[k], y[n]);
    }
    const Row& w(const std::string& name) const { return weights.at(name + ".weight"); }
    void check(const std::vector<int>& ids) const {
        bool known = !ids.empty() && ids.size() <= positions;
        for (const int id : ids)
            known = known && id >= 0 && static_cast<std::size_t>(id) < vocab_size;
        if (!known)
            throw Error("llama: " + std::to_string(ids.size()) + " tokens, expected 1 to " +
                        std::to_string(positions) + ", ids below " + std::to_string(vocab_size));
    }
};

}  // namespace tbt
