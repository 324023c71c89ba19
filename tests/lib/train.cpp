#include "tests/catch.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include "lib/core/rng.hpp"
#include "lib/train/train_attention.hpp"
#include "lib/train/train_layers.hpp"
#include "lib/train/trainer.hpp"
#include "tests/lib/gradient_checks.hpp"

using namespace tbt;
using namespace tbt::train;
using namespace tbt::train::test;

TEST_CASE("layer norm's gradients are those of its definition", "[train]") {
    const std::int64_t M = 3, C = 48;
    const Floats x = random_floats(M * C, 1, 2), gain = random_floats(C, 2),
                 bias = random_floats(C, 3), d_y = random_floats(M * C, 4);
    Floats y(M * C), stats(2 * M), d_x(M * C), d_gain(C), d_bias(C);
    layer_norm(x.data(), gain.data(), bias.data(), y.data(), stats.data(), M, C);
    layer_norm_backward(x.data(), stats.data(), gain.data(), d_y.data(), d_x.data(), d_gain.data(),
                        d_bias.data(), M, C);
    const Doubles X = widened(x), G = widened(gain), B = widened(bias);
    // A dozen roundings of 6e-8 on values up to 5.
    check_values(y, layer_norm_of(X, G, B), 4e-6);
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
    check_values(y, gelu_of(widened(x)), 1e-6, true);
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
    INFO("T " << T << ", D " << D << (causal ? "" : ", both ways"));
    check_attention(shape, 3e-6, T > 20 ? 397 : T > 5 ? 31 : 1);
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
    Linear linear(0, K * N, K, N);
    PackedMatrix packed;
    linear.pack(block.data(), Worker{});
    linear.forward(x.data(), y.data(), M, block.data());
    linear.backward_input(d_y.data(), d_x.data(), M);
    linear.backward_weights(x.data(), d_y.data(), M, packed, gradients.data());
    for (float& g : gradients) g -= 0.5f;  // what was there before
    const Floats d_w(gradients.begin(), gradients.end() - N),
        d_b(gradients.end() - N, gradients.end());
    const Doubles X = widened(x), W = widened(w), B = widened(b);
    check_values(y, linear_of(X, W, B), 1e-5);  // 32 terms of about 1
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
    Trainer model(e.shape, 2, 2, e.fills_masks);  // parts: one sequence, and two
    check_model(model, e, gpt_loss);
}
