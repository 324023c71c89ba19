// The layers of a GPT and their gradients as their definitions have them, in double.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>

#include "lib/core/rng.hpp"
#include "lib/train/train_attention.hpp"
#include "lib/train/train_layers.hpp"
#include "lib/train/trainer.hpp"
#include "tests/catch.hpp"

namespace tbt::train::test {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

inline Floats random_floats(std::size_t n, std::uint64_t seed, double scale = 1) {
    Rng rng(seed);
    Floats values(n);
    for (float& v : values) v = static_cast<float>(scale * rng.normal());
    return values;
}

inline Doubles widened(std::span<const float> values) { return {values.begin(), values.end()}; }

inline double weighted_sum(const Doubles& y, const Floats& weights) {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * static_cast<double>(weights[i]);
    return sum;
}

// ∂f/∂x_i by central differences in double: with h = 1e-5 the error of the formula, h²/6 · f‴,
// and that of rounding, 1e-16/h · f, are both near 1e-11 of f, far below float's 6e-8.
inline double slope(const std::function<double(const Doubles&)>& f, Doubles x, std::size_t i) {
    const double h = 1e-5, at = x[i];
    x[i] = at + h;
    const double above = f(x);
    x[i] = at - h;
    return (above - f(x)) / (2 * h);
}

// Every gradient within `tolerance` of its finite difference, measured against the
// largest gradient of the tensor (each is a float sum of terms of about that size,
// so its rounding error is a small multiple of 6e-8 of it).
inline void check_gradient(const char* name, std::span<const float> got, std::span<const float> x,
                           const std::function<double(const Doubles&)>& f, double tolerance,
                           std::size_t every = 1) {
    const Doubles at = widened(x);
    double largest = 1e-3, worst = 0;
    for (const float g : got) largest = std::max(largest, std::abs(static_cast<double>(g)));
    for (std::size_t i = 0; i < at.size(); i += every) {
        const double difference = std::abs(static_cast<double>(got[i]) - slope(f, at, i)) / largest;
        worst = difference <= worst ? worst : difference;  // NaN counts as worst
    }
    INFO(name << ": largest gradient " << largest << ", worst relative difference " << worst);
    CHECK(worst <= tolerance);
}

// ---- the layers once more, as their definitions, in double ----

inline Doubles layer_norm_of(const Doubles& x, const Doubles& gain, const Doubles& bias) {
    const std::size_t C = gain.size();
    Doubles y(x.size());
    for (std::size_t m = 0; m < x.size(); m += C) {
        double mean = 0, variance = 0;
        for (std::size_t c = 0; c < C; ++c) mean += x[m + c] / static_cast<double>(C);
        for (std::size_t c = 0; c < C; ++c)
            variance += (x[m + c] - mean) * (x[m + c] - mean) / static_cast<double>(C);
        for (std::size_t c = 0; c < C; ++c)
            y[m + c] = (x[m + c] - mean) / std::sqrt(variance + 1e-5) * gain[c] + bias[c];
    }
    return y;
}

inline Doubles gelu_of(Doubles x) {
    for (double& v : x)
        v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v)));
    return x;
}

inline Doubles attention_of(const Doubles& qkv, const BatchShape& s) {
    const std::int64_t Q = s.H * s.D, kv = s.kv_heads() * s.D;
    Doubles out(static_cast<std::size_t>(s.B * s.T * Q));
    const auto at = [&](std::int64_t b, std::int64_t t, std::int64_t c) {
        return qkv[static_cast<std::size_t>((b * s.T + t) * (Q + 2 * kv) + c)];
    };
    for (std::int64_t b = 0; b < s.B; ++b) {
        for (std::int64_t h = 0; h < s.H; ++h) {
            const std::int64_t key = Q + h / (s.H / s.kv_heads()) * s.D;
            for (std::int64_t t = 0; t < s.T; ++t) {
                Doubles p;
                double sum = 0;
                for (std::int64_t k = 0; k < s.keys_of(t); ++k) {
                    double score = 0;
                    for (std::int64_t d = 0; d < s.D; ++d)
                        score += at(b, t, h * s.D + d) * at(b, k, key + d);
                    p.push_back(std::exp(score / std::sqrt(static_cast<double>(s.D))));
                    sum += p.back();
                }
                for (std::int64_t k = 0; k < s.keys_of(t); ++k) {
                    for (std::int64_t d = 0; d < s.D; ++d) {
                        out[static_cast<std::size_t>((b * s.T + t) * Q + h * s.D + d)] +=
                            p[static_cast<std::size_t>(k)] / sum * at(b, k, key + kv + d);
                    }
                }
            }
        }
    }
    return out;
}

inline Doubles linear_of(const Doubles& x, const Doubles& w, const Doubles& b) {
    const std::size_t N = b.size(), K = w.size() / N, M = x.size() / K;
    Doubles y(M * N);
    for (std::size_t m = 0; m < M; ++m) {
        for (std::size_t n = 0; n < N; ++n) {
            y[m * N + n] = b[n];
            for (std::size_t k = 0; k < K; ++k) y[m * N + n] += x[m * K + k] * w[k * N + n];
        }
    }
    return y;
}

// −ln softmax(row)[target], averaged over the rows whose target counts.
inline double cross_entropy_of(const Doubles& logits, const std::vector<std::int32_t>& targets) {
    const std::size_t V = logits.size() / targets.size();
    double loss = 0, counted = 0;
    for (std::size_t m = 0; m < targets.size(); ++m) {
        if (targets[m] < 0) continue;
        double sum = 0;
        for (std::size_t v = 0; v < V; ++v) sum += std::exp(logits[m * V + v]);
        loss += std::log(sum) - logits[m * V + static_cast<std::size_t>(targets[m])];
        counted += 1;
    }
    return loss / counted;
}

struct Example {
    TransformerConfig shape;
    std::int64_t B, T;
    std::vector<std::int32_t> ids, targets;
    bool fills_masks = false;
};

inline Example example(const TransformerConfig& shape, std::int64_t B, std::int64_t T) {
    Example e{shape, B, T, {}, {}};
    Rng rng(5);
    for (std::int64_t i = 0; i < B * T; ++i) {
        e.ids.push_back(
            static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(shape.vocab_size))));
        e.targets.push_back(i % 7 == 3 ? -1
                                       : static_cast<std::int32_t>(rng.below(
                                             static_cast<std::uint64_t>(shape.vocab_size))));
    }
    return e;
}

// The loss of a whole GPT, from the parameters as one block.
inline double gpt_loss(const Doubles& block, const ParameterLayout& layout, const Example& e) {
    const auto p = [&](const std::string& name) {
        const auto first = block.begin() + layout[name].offset;
        return Doubles(first, first + layout[name].size);
    };
    const auto C = static_cast<std::size_t>(e.shape.n_embd), T = static_cast<std::size_t>(e.T);
    const Doubles wte = p("wte.weight"), wpe = p("wpe.weight");
    Doubles x(e.ids.size() * C);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = wte[static_cast<std::size_t>(e.ids[i / C]) * C + i % C] + wpe[i / C % T * C + i % C];
    const auto add = [&x](const Doubles& y) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
    };
    for (std::int64_t l = 0; l < e.shape.n_layer; ++l) {
        const std::string h = "h." + std::to_string(l) + ".";
        const auto linear = [&](const Doubles& in, const std::string& name) {
            return linear_of(in, p(h + name + ".weight"), p(h + name + ".bias"));
        };
        const auto norm_of = [&](const std::string& name) {
            return layer_norm_of(x, p(h + name + ".weight"), p(h + name + ".bias"));
        };
        add(linear(attention_of(
                       linear(norm_of("ln_1"), "attn.c_attn"),
                       {e.B, e.T, e.shape.n_head, e.shape.n_embd / e.shape.n_head, !e.fills_masks}),
                   "attn.c_proj"));
        add(linear(gelu_of(linear(norm_of("ln_2"), "mlp.c_fc")), "mlp.c_proj"));
    }
    const std::size_t V = wte.size() / C - (e.fills_masks ? 1 : 0);  // a mask is never written
    Doubles transposed(V * C);
    for (std::size_t i = 0; i < V * C; ++i) transposed[i % C * V + i / C] = wte[i];
    const Doubles logits =
        linear_of(layer_norm_of(x, p("ln_f.weight"), p("ln_f.bias")), transposed, Doubles(V));
    if (!e.fills_masks) return cross_entropy_of(logits, e.targets);
    double loss = 0;  // the mean over the sequences of each one's mean
    for (std::size_t b = 0; b < static_cast<std::size_t>(e.B); ++b) {
        const auto part = [&](const auto& all, std::size_t n) {
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(b * n);
            return std::vector(first, first + static_cast<std::ptrdiff_t>(n));
        };
        loss +=
            cross_entropy_of(part(logits, T * V), part(e.targets, T)) / static_cast<double>(e.B);
    }
    return loss;
}

// Weights large enough that every layer matters and nothing is nearly linear.
inline void lively(Trainer& model) {
    for (const ParameterInfo& t : model.layout().tensors) {
        Rng rng(static_cast<std::uint64_t>(t.offset) + 9);
        const bool gain = !t.decay && t.name.ends_with("weight");
        for (float& w : model.of(t))
            w = static_cast<float>((gain ? 1.0 : 0.0) + (t.decay ? 0.25 : 0.1) * rng.normal());
    }
    model.parameters_changed();
}

}  // namespace tbt::train::test
