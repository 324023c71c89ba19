#include "tests/catch.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include "lib/kernels/rng.hpp"
#include "lib/train/gpt_trainer.hpp"
#include "lib/train/train_attention.hpp"
#include "lib/train/train_layers.hpp"

using namespace tbt;
using namespace tbt::train;

namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

Floats random_floats(std::size_t n, std::uint64_t seed, double scale = 1) {
    Rng rng(seed);
    Floats values(n);
    for (float& v : values) v = static_cast<float>(scale * rng.normal());
    return values;
}

Doubles widened(std::span<const float> values) { return {values.begin(), values.end()}; }

double weighted_sum(const Doubles& y, const Floats& weights) {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * static_cast<double>(weights[i]);
    return sum;
}

// ∂f/∂x_i by central differences in double: with h = 1e-5 the error of the formula, h²/6 · f‴,
// and that of rounding, 1e-16/h · f, are both near 1e-11 of f, far below float's 6e-8.
double slope(const std::function<double(const Doubles&)>& f, Doubles x, std::size_t i) {
    const double h = 1e-5, at = x[i];
    x[i] = at + h;
    const double above = f(x);
    x[i] = at - h;
    return (above - f(x)) / (2 * h);
}

// Every gradient within `tolerance` of its finite difference, measured against the
// largest gradient of the tensor (each is a float sum of terms of about that size,
// so its rounding error is a small multiple of 6e-8 of it).
void check_gradient(const char* name, std::span<const float> got, std::span<const float> x,
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

Doubles layer_norm_of(const Doubles& x, const Doubles& gain, const Doubles& bias) {
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

Doubles gelu_of(Doubles x) {
    for (double& v : x)
        v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v)));
    return x;
}

Doubles attention_of(const Doubles& qkv, const BatchShape& s) {
    const std::int64_t C = s.H * s.D;
    Doubles out(static_cast<std::size_t>(s.B * s.T * C));
    const auto at = [&](std::int64_t b, std::int64_t t, std::int64_t c) {
        return qkv[static_cast<std::size_t>((b * s.T + t) * 3 * C + c)];
    };
    for (std::int64_t b = 0; b < s.B; ++b) {
        for (std::int64_t h = 0; h < s.H; ++h) {
            for (std::int64_t t = 0; t < s.T; ++t) {
                Doubles p;
                double sum = 0;
                for (std::int64_t k = 0; k < s.keys_of(t); ++k) {
                    double score = 0;
                    for (std::int64_t d = h * s.D; d < (h + 1) * s.D; ++d)
                        score += at(b, t, d) * at(b, k, C + d);
                    p.push_back(std::exp(score / std::sqrt(static_cast<double>(s.D))));
                    sum += p.back();
                }
                for (std::int64_t k = 0; k < s.keys_of(t); ++k) {
                    for (std::int64_t d = h * s.D; d < (h + 1) * s.D; ++d) {
                        out[static_cast<std::size_t>((b * s.T + t) * C + d)] +=
                            p[static_cast<std::size_t>(k)] / sum * at(b, k, 2 * C + d);
                    }
                }
            }
        }
    }
    return out;
}

Doubles linear_of(const Doubles& x, const Doubles& w, const Doubles& b) {
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
double cross_entropy_of(const Doubles& logits, const std::vector<std::int32_t>& targets) {
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
    GptConfig shape;
    std::int64_t B, T;
    std::vector<std::int32_t> ids, targets;
    bool fills_masks = false;
};

Example example(const GptConfig& shape, std::int64_t B, std::int64_t T) {
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
double gpt_loss(const Doubles& block, const ParameterLayout& layout, const Example& e) {
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
void lively(GptTrainer& model) {
    for (const ParameterInfo& t : model.layout().tensors) {
        Rng rng(static_cast<std::uint64_t>(t.offset) + 9);
        const bool gain = t.name.find("ln_") != std::string::npos && t.name.ends_with("weight");
        for (float& w : model.of(t))
            w = static_cast<float>((gain ? 1.0 : 0.0) + (t.decay ? 0.25 : 0.1) * rng.normal());
    }
    model.parameters_changed();
}

}  // namespace

TEST_CASE("layer norm's gradients are those of its definition", "[train]") {
    const std::int64_t M = 3, C = 48;
    const Floats x = random_floats(M * C, 1, 2), gain = random_floats(C, 2),
                 bias = random_floats(C, 3), d_y = random_floats(M * C, 4);
    Floats y(M * C), stats(2 * M), d_x(M * C), d_gain(C), d_bias(C);
    layer_norm(x.data(), gain.data(), bias.data(), y.data(), stats.data(), M, C);
    layer_norm_backward(x.data(), stats.data(), gain.data(), d_y.data(), d_x.data(), d_gain.data(),
                        d_bias.data(), M, C);
    const Doubles X = widened(x), G = widened(gain), B = widened(bias),
                  expected = layer_norm_of(X, G, B);
    // A dozen roundings of 6e-8 on values up to 5.
    for (std::size_t i = 0; i < y.size(); ++i)
        REQUIRE(std::abs(static_cast<double>(y[i]) - expected[i]) <= 4e-6);
    check_gradient(
        "x", d_x, x, [&](const Doubles& v) { return weighted_sum(layer_norm_of(v, G, B), d_y); },
        1e-6);
    check_gradient(
        "gain", d_gain, gain,
        [&](const Doubles& v) { return weighted_sum(layer_norm_of(X, v, B), d_y); }, 1e-6);
    check_gradient(
        "bias", d_bias, bias,
        [&](const Doubles& v) { return weighted_sum(layer_norm_of(X, G, v), d_y); }, 1e-6);
}

TEST_CASE("layer norm's gradients are added to what is there", "[train]") {
    const Floats x = random_floats(32, 1), gain(32, 1.0f), bias(32), d_y = random_floats(32, 2);
    Floats y(32), stats(2), once(96), twice(96);
    layer_norm(x.data(), gain.data(), bias.data(), y.data(), stats.data(), 1, 32);
    const auto backward = [&](Floats& g) {
        layer_norm_backward(x.data(), stats.data(), gain.data(), d_y.data(), g.data(),
                            g.data() + 32, g.data() + 64, 1, 32);
    };
    backward(once);
    backward(twice);
    backward(twice);
    // One rounding of values up to 8.
    for (std::size_t i = 0; i < 96; ++i) REQUIRE(std::abs(twice[i] - 2 * once[i]) <= 2e-6f);
}

TEST_CASE("GELU's gradient is that of its definition, far out too", "[train]") {
    Floats x = random_floats(60, 1, 3);
    for (const float far : {-30.0f, -8.0f, 0.0f, 30.0f}) x.push_back(far);
    const Floats d_y = random_floats(x.size(), 2);
    Floats y(x.size()), d_x = d_y;
    gelu(x.data(), y.data(), static_cast<std::int64_t>(x.size()));
    gelu_backward(x.data(), d_x.data(), static_cast<std::int64_t>(x.size()));
    const Doubles expected = gelu_of(widened(x));
    for (std::size_t i = 0; i < x.size(); ++i)
        REQUIRE(std::abs(static_cast<double>(y[i]) - expected[i]) <=
                1e-6 * (1 + std::abs(expected[i])));
    check_gradient(
        "x", d_x, x, [&](const Doubles& v) { return weighted_sum(gelu_of(v), d_y); }, 2e-6);
}

TEST_CASE("attention and its gradient are those of the definition at awkward lengths", "[train]") {
    const auto [T, D] = GENERATE(std::pair<std::int64_t, std::int64_t>{1, 16},
                                 std::pair<std::int64_t, std::int64_t>{5, 8},
                                 std::pair<std::int64_t, std::int64_t>{17, 24},
                                 std::pair<std::int64_t, std::int64_t>{64, 16},
                                 std::pair<std::int64_t, std::int64_t>{67, 40});
    const bool causal = GENERATE(true, false);
    const BatchShape shape{2, T, 2, D, causal};
    const auto n = static_cast<std::size_t>(2 * T * 2 * D);
    const Floats qkv = random_floats(3 * n, 1), d_out = random_floats(n, 2);
    Floats out(n), stats(static_cast<std::size_t>(2 * 2 * T * 2)), d_qkv(3 * n, 99.0f);
    AttentionScratch scratch;
    attention_forward(qkv.data(), out.data(), stats.data(), shape, scratch);
    attention_backward(qkv.data(), out.data(), stats.data(), d_out.data(), d_qkv.data(), shape,
                       scratch);
    const Doubles expected = attention_of(widened(qkv), shape);
    INFO("T " << T << ", D " << D << (causal ? "" : ", both ways"));
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double difference = std::abs(static_cast<double>(out[i]) - expected[i]);
        worst = difference <= worst ? worst : difference;
    }
    CHECK(worst <= 5e-6);  // sums of up to 67 terms, about 1 in size
    check_gradient(
        "qkv", d_qkv, qkv,
        [&](const Doubles& v) { return weighted_sum(attention_of(v, shape), d_out); }, 3e-6,
        T > 20  ? 397
        : T > 5 ? 31
                : 1);
}

TEST_CASE("a query that looks at one key far above the others gives that key's value", "[train]") {
    const BatchShape shape{1, 3, 1, 16};
    Floats qkv(3 * 48), out(3 * 16), stats(6);
    for (std::size_t t = 0; t < 3; ++t) {
        qkv[t * 48 + 1] = 1000;                         // every query asks for component 1,
        qkv[t * 48 + 16 + 1] = t == 1 ? 100.0f : 0.0f;  // which key 1 has
        qkv[t * 48 + 32] = static_cast<float>(t) + 1;   // values 1, 2, 3
    }
    AttentionScratch scratch;
    attention_forward(qkv.data(), out.data(), stats.data(), shape, scratch);
    CHECK(out[0] == 1);  // key 1 lies in the future
    CHECK(out[16] == 2);
    CHECK(out[32] == 2);
}

TEST_CASE("a linear layer's gradients are those of its definition", "[train]") {
    const std::int64_t M = 37, K = 32, N = 48;
    const Floats x = random_floats(M * K, 1), w = random_floats(K * N, 2), b = random_floats(N, 3),
                 d_y = random_floats(M * N, 4);
    // Weights and bias lie in one block, here with the weights first; so do their gradients.
    Floats block = w, gradients(K * N + N, 0.5f), y(M * N), d_x(M * K);
    block.insert(block.end(), b.begin(), b.end());
    Linear linear(0, K * N, K, N, Precision::f32);
    Factor packed;
    Bf16Left scratch;
    linear.pack(block.data(), Worker{});
    linear.forward(x.data(), y.data(), M, block.data(), scratch);
    linear.backward_input(d_y.data(), d_x.data(), M, scratch);
    linear.backward_weights(x.data(), d_y.data(), M, packed, scratch, gradients.data());
    for (float& g : gradients) g -= 0.5f;  // what was there before
    const Floats d_w(gradients.begin(), gradients.end() - N),
        d_b(gradients.end() - N, gradients.end());
    const Doubles X = widened(x), W = widened(w), B = widened(b), expected = linear_of(X, W, B);
    for (std::size_t i = 0; i < y.size(); ++i)
        REQUIRE(std::abs(static_cast<double>(y[i]) - expected[i]) <= 1e-5);  // 32 terms of about 1
    check_gradient(
        "x", d_x, x, [&](const Doubles& v) { return weighted_sum(linear_of(v, W, B), d_y); }, 2e-6,
        11);
    check_gradient(
        "w", d_w, w, [&](const Doubles& v) { return weighted_sum(linear_of(X, v, B), d_y); }, 2e-6,
        7);
    check_gradient(
        "b", d_b, b, [&](const Doubles& v) { return weighted_sum(linear_of(X, W, v), d_y); }, 2e-6);
}

TEST_CASE(
    "cross-entropy: a hand-made row, a gradient that sums to zero, a target that does not count",
    "[train]") {
    const std::int32_t targets[] = {2, -1};
    Floats logits = {0, 0, std::log(2.0f), 0, 7, 8, 9, 10};  // p = 1/5, 1/5, 2/5, 1/5
    double losses[2];
    cross_entropy(logits.data(), targets, losses, 2, 4, 0.5f, true);
    CHECK(std::abs(losses[0] - std::log(2.5)) <= 1e-6);
    CHECK(losses[1] == 0);
    const double expected[] = {0.1, 0.1, -0.3, 0.1, 0, 0, 0, 0};
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(std::abs(static_cast<double>(logits[i]) - expected[i]) <= 1e-7);
}

TEST_CASE("cross-entropy of enormous logits stays finite", "[train]") {
    const std::int32_t targets[] = {0};
    Floats logits(37, -3e38f);
    logits[0] = 1e4f;
    logits[36] = 2e4f;
    double loss;
    cross_entropy(logits.data(), targets, &loss, 1, 37, 1, true);
    CHECK(loss == 1e4);
    CHECK(logits[0] == -1);
    CHECK(logits[36] == 1);
}

TEST_CASE("every gradient of a whole GPT is that of its definition", "[train]") {
    Example e = example(gpt_config(2, 3, 48, 24, 37), 3, 10);
    e.fills_masks = GENERATE(false, true);
    if (e.fills_masks) {
        // As many masks as there are targets, so that sequences weigh their tokens differently.
        for (std::size_t i = 0; i < e.ids.size(); ++i) {
            if (i > 14 && i % 3 != 0) e.targets[i] = -1;
            if (e.targets[i] >= 0) e.targets[i] %= 36, e.ids[i] = 36;
        }
    }
    GptTrainer model(e.shape, 2, 2, Precision::f32, e.fills_masks);  // parts: one sequence, and two
    lively(model);
    const double loss = model.gradient(e.ids, e.targets, e.B, e.T);
    const Doubles at = widened(model.parameters());
    // Relative to the loss of about 4: some hundred float roundings, most of which cancel.
    REQUIRE(std::abs(loss - gpt_loss(at, model.layout(), e)) <= 2e-5);
    for (const ParameterInfo& t : model.layout().tensors) {
        const auto gradient = model.gradients().subspan(static_cast<std::size_t>(t.offset),
                                                        static_cast<std::size_t>(t.size));
        const auto f = [&](const Doubles& v) {
            Doubles block = at;
            std::copy(v.begin(), v.end(), block.begin() + t.offset);
            return gpt_loss(block, model.layout(), e);
        };
        // Float errors grow through two layers of forward and backward passes:
        // 1e-4 of the tensor's largest gradient. Three entries of each tensor.
        check_gradient(t.name.c_str(), gradient, model.of(t), f, 1e-4,
                       static_cast<std::size_t>(t.size) / 3 + 1);
    }
}
