// A whole GPT-2 in plain code: token ids in, logits out. [Radford et al. 2019]
//
//   x = wte[token] + wpe[position]
//   for each layer:   x += attention(norm(x));   x += mlp(norm(x))
//   logits = norm(x) · wteᵀ
//
// T tokens, C channels, H heads of D = C/H, F = 4·C, V tokens in the vocabulary. Every sum has the
// same order as in the library's kernels, so the logits are the library's, bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "chapters/18_transformer/plain_layers.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt {

// What a forward pass records, and which head it leaves out.
struct Inside {
    std::vector<std::vector<Rows>> scores, attention;  // [layer][head][t][u]: before, after softmax
    std::vector<Rows> residual;         // x (T, C) before layer 0, 1, …, after the last
    int cut_layer = -1, cut_head = -1;  // the output of this head is set to 0
    std::map<std::string, Rows>* inputs = nullptr;  // collects the inputs of each matrix
};

struct PlainGpt {
    std::size_t layers = 0, heads = 0, channels = 0, inner = 0, vocab_size = 0, positions = 0;
    float epsilon = 1e-5f;
    float (*kept)(float) = nullptr;      // rounds each number of keys and values, as a cache does
    std::map<std::string, Row> weights;  // by their names on the hub; matrices are row-major

    // The residual x (T, C) after the last layer, which logits() reads.
    // Throws Error if there are no ids, more than the model has positions, or an unknown one.
    Rows forward(const std::vector<int>& ids, Inside* inside = nullptr) const {
        check(ids);
        Rows x;
        for (std::size_t t = 0; t < ids.size(); ++t) {
            const auto id = static_cast<std::size_t>(ids[t]);
            x.push_back(Row(channels));
            for (std::size_t c = 0; c < channels; ++c)
                x[t][c] = w("wte.weight")[id * channels + c] + w("wpe.weight")[t * channels + c];
        }
        for (std::size_t layer = 0; layer < layers; ++layer) {
            if (inside) inside->residual.push_back(x);
            const std::string h = "h." + std::to_string(layer) + ".";
            add_attention(x, h, layer, inside);
            add_mlp(x, h, inside);
        }
        if (inside) inside->residual.push_back(x);
        return x;
    }

    // The logits (V) of the next token, computed from a row x (C) of the residual.
    Row logits(const Row& x) const {
        const Row normed = norm(x, "ln_f");
        const Row& wte = w("wte.weight");
        Row s(vocab_size, 0.0f);
        for (std::size_t v = 0; v < vocab_size; ++v)
            for (std::size_t c = 0; c < channels; ++c)
                s[v] = std::fma(normed[c], wte[v * channels + c], s[v]);
        return s;
    }

private:
    // Only here do tokens exchange information. For each head, every position makes a query ("what
    // do I look for?"), a key ("what do I have?") and a value ("what do I say?").
    void add_attention(Rows& x, const std::string& h, std::size_t layer, Inside* inside) const {
        Rows qkv;  // (T, 3C)
        for (const Row& row : x) {
            qkv.push_back(Row(3 * channels, 0.0f));
            add_matrix(qkv.back(), norm(row, h + "ln_1"), h + "attn.c_attn", inside);
            for (std::size_t c = channels; kept && c < 3 * channels; ++c)
                qkv.back()[c] = kept(qkv.back()[c]);
        }
        if (inside) inside->attention.emplace_back(heads), inside->scores.emplace_back(heads);
        for (std::size_t t = 0; t < x.size(); ++t) {
            Row mixed;  // (C): the heads' answers, side by side
            for (std::size_t head = 0; head < heads; ++head) {
                Row answer = attend(qkv, t, head, inside);
                if (inside && inside->cut_layer == static_cast<int>(layer) &&
                    inside->cut_head == static_cast<int>(head))
                    answer.assign(answer.size(), 0.0f);
                mixed.insert(mixed.end(), answer.begin(), answer.end());
            }
            add_matrix(x[t], mixed, h + "attn.c_proj", inside);
        }
    }

    // One head at position t: softmax(q · k_u / √D) over u <= t gives the attention weights of the
    // values v_u, whose weighted sum is the answer. u ends at t: this is the causal mask.
    Row attend(const Rows& qkv, std::size_t t, std::size_t head, Inside* inside) const {
        const std::size_t C = channels, D = C / heads, first = head * D;
        const float scale = 1.0f / std::sqrt(static_cast<float>(D));
        Row s(t + 1, 0.0f);
        for (std::size_t u = 0; u <= t; ++u) {
            for (std::size_t d = first; d < first + D; ++d)
                s[u] = std::fma(qkv[t][d], qkv[u][C + d], s[u]);
            s[u] *= scale;
        }
        if (inside) inside->scores.back()[head].push_back(s);
        const float largest = *std::max_element(s.begin(), s.end());
        for (float& e : s) e = portable_expf(e - largest);
        const float inverse = 1.0f / sum_of(s, [](float e) { return e; });
        Row even(D, 0.0f), odd(D, 0.0f);  // positions 0, 2, 4, … and 1, 3, 5, … have separate sums
        for (std::size_t u = 0; u <= t; ++u) {
            Row& sum = u % 2 == 0 ? even : odd;
            for (std::size_t d = 0; d < D; ++d)
                sum[d] = std::fma(s[u], qkv[u][2 * C + first + d], sum[d]);
        }
        for (std::size_t d = 0; d < D; ++d) even[d] = (even[d] + odd[d]) * inverse;
        for (float& e : s) e *= inverse;
        if (inside) inside->attention.back()[head].push_back(s);
        return even;
    }

    // Each position by itself: F features are looked for, and each one found adds something to x.
    void add_mlp(Rows& x, const std::string& h, Inside* inside) const {
        for (Row& row : x) {
            Row features(inner, 0.0f);
            add_matrix(features, norm(row, h + "ln_2"), h + "mlp.c_fc", inside);
            for (float& f : features) f = gelu(f);
            add_matrix(row, features, h + "mlp.c_proj", inside);
        }
    }

    void add_matrix(Row& y, const Row& x, const std::string& name, Inside* inside) const {
        if (inside && inside->inputs) (*inside->inputs)[name].push_back(x);
        add_product(y, x, w(name + ".weight"), w(name + ".bias"));
    }
    const Row& w(const std::string& name) const { return weights.at(name); }
    Row norm(const Row& x, const std::string& name) const {
        return layer_norm(x, w(name + ".weight"), w(name + ".bias"), epsilon);
    }
    void check(const std::vector<int>& ids) const {
        if (ids.empty() || ids.size() > positions)
            throw Error("transformer: got " + std::to_string(ids.size()) +
                        " tokens, expected 1 to " + std::to_string(positions));
        for (const int id : ids)
            if (id < 0 || static_cast<std::size_t>(id) >= vocab_size)
                throw Error("transformer: token " + std::to_string(id) +
                            " is not in the vocabulary of " + std::to_string(vocab_size));
    }
};

}  // namespace tbt
