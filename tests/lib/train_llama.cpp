// Training a Llama: each layer's gradient, and those of a whole model, against finite differences
// of their definitions in double.
#include "tests/catch.hpp"

#include <cmath>

#include "lib/model/transformer.hpp"
#include "tests/lib/gradient_checks.hpp"
#include "tests/support/llama_gradients.hpp"
#include "tests/support/tiny_training.hpp"

using namespace tbt;
using namespace tbt::train;
using namespace tbt::train::test;
using tbt::test::contains;
using tbt::test::error_of;

namespace {

// Two layers, four heads that share two of keys, F not a multiple of C.
TransformerConfig small_llama(bool tied = true) {
    TransformerConfig config = llama_config(2, 4, 2, 32, 80, 24, 37);
    config.layer_norm_epsilon = 1e-3f;  // large enough to be missed
    config.tie_word_embeddings = tied;
    return config;
}

}  // namespace

TEST_CASE("RMS norm's gradients are those of its definition", "[train]") {
    const std::int64_t M = 3, C = 48;
    const Floats x = random_floats(M * C, 1, 2), gain = random_floats(C, 2),
                 d_y = random_floats(M * C, 4);
    Floats y(M * C), stats(M), d_x(M * C, 0.5f), d_gain(C, 0.5f);
    rms_norm(x.data(), gain.data(), 0.5f, y.data(), stats.data(), M, C);
    rms_norm_backward(x.data(), stats.data(), gain.data(), d_y.data(), d_x.data(), d_gain.data(), M,
                      C);
    for (Floats* added : {&d_x, &d_gain})
        for (float& g : *added) g -= 0.5f;  // what was there before
    const Doubles X = widened(x), G = widened(gain);
    // A dozen roundings of 6e-8 on values up to 5.
    check_values(y, rms_norm_of(X, G, 0.5), 4e-6);
    check_gradient(
        "x", d_x, x, [&](const Doubles& v) { return weighted_sum(rms_norm_of(v, G, 0.5), d_y); },
        1e-6);
    check_gradient(
        "gain", d_gain, gain,
        [&](const Doubles& v) { return weighted_sum(rms_norm_of(X, v, 0.5), d_y); }, 1e-6);
}

TEST_CASE("the gated MLP's gradients are those of its definition, far out too", "[train]") {
    const std::int64_t M = 3, F = 16;
    Floats x = random_floats(M * 2 * F, 1, 3);
    const std::size_t gates[] = {0, 1, 2, 3};
    const float far[] = {-100.0f, -20.0f, 0.0f, 100.0f};
    for (const std::size_t i : gates) x[i] = far[i];
    const Floats d_y = random_floats(M * F, 2);
    Floats y(M * F), d_x(x.size());
    gate_silu(x.data(), y.data(), M, F);
    gate_silu_backward(x.data(), d_y.data(), d_x.data(), M, F);
    check_values(y, gate_silu_of(widened(x), F), 1e-6, true);
    check_gradient(
        "x", d_x, x, [&](const Doubles& v) { return weighted_sum(gate_silu_of(v, F), d_y); }, 2e-6);
}

TEST_CASE("a rotation's gradient turns back", "[train]") {
    const BatchShape shape{2, 5, 4, 8, true, 2};
    const RotaryTable table(Rotary{100}, 8, 5);
    const auto n = static_cast<std::size_t>(shape.B * shape.T * shape.row());
    const Floats qkv = random_floats(n, 1), d_out = random_floats(n, 2);
    Floats forward = qkv, backward = d_out;
    table.turn(forward.data(), shape, false);
    table.turn(backward.data(), shape, true);
    check_values(forward, turned(widened(qkv), shape, 100), 1e-6);
    check_gradient(
        "qkv", backward, qkv,
        [&](const Doubles& v) { return weighted_sum(turned(v, shape, 100), d_out); }, 2e-6);
}

TEST_CASE("heads that share keys and values add up their gradients", "[train]") {
    const std::int64_t K = GENERATE(1, 2, 4), T = GENERATE(5, 67);
    const BatchShape shape{2, T, 4, 8, true, K};
    check_attention(shape, 1e-5, static_cast<std::size_t>(2 * T * shape.row()) / 40 + 1);
}

TEST_CASE("every gradient of a whole Llama is that of its definition", "[train]") {
    const bool tied = GENERATE(true, false);
    const Example e = example(small_llama(tied), 3, 10);
    Trainer model(e.shape, 2, 2);
    check_model(model, e, llama_loss);
    REQUIRE(model.layout().tensors.size() == (tied ? 20u : 21u));
}

TEST_CASE("a Llama in training has the losses of the one that writes", "[train]") {
    const bool tied = GENERATE(true, false);
    const Example e = example(small_llama(tied), 2, 24);
    Trainer trainer(e.shape, 1);
    lively(trainer);
    Transformer model(e.shape, [&](const std::string& name, const Shape& shape) {
        return Tensor(shape, trainer.of(trainer.layout()[name]));
    });
    const std::vector<double> losses = trainer.losses(e.ids, e.targets, e.B, e.T);
    for (std::int64_t b = 0; b < e.B; ++b) {
        KvCache cache(model.config());
        const auto first = static_cast<std::size_t>(b * e.T);
        const Logits logits = model.forward_all(
            cache, std::span(e.ids).subspan(first, static_cast<std::size_t>(e.T)));
        for (std::int64_t t = 0; t < e.T; ++t) {
            const auto at = first + static_cast<std::size_t>(t);
            if (e.targets[at] < 0) continue;
            const auto row = logits.row(t);
            double sum = 0;
            for (const float l : row) sum += std::exp(static_cast<double>(l));
            const double loss =
                std::log(sum) - static_cast<double>(row[static_cast<std::size_t>(e.targets[at])]);
            // Two float implementations that sum in different orders.
            REQUIRE(std::abs(loss - losses[at]) <= 2e-5);
        }
    }
}

TEST_CASE("a Llama's gradients have the same bits for any number of threads", "[train]") {
    const Example e = example(small_llama(), 5, 20);
    Floats first;
    for (const int threads : {1, 2, 3}) {
        Trainer model(e.shape, threads, 4);
        lively(model);
        model.gradient(e.ids, e.targets, e.B, e.T);
        const Floats gradients(model.gradients().begin(), model.gradients().end());
        if (threads == 1) first = gradients;
        REQUIRE(gradients == first);
    }
}

TEST_CASE("what is built otherwise than a plain Llama is not trained", "[train]") {
    using Config = TransformerConfig;
    const std::pair<void (*)(Config&), const char*> refused[] = {
        {[](Config& c) { c.architecture.qkv_bias = true; }, "training does not support"},
        {[](Config& c) { c.architecture.model_type = "qwen2"; }, "type qwen2"},
        {[](Config& c) { c.architecture.layers[1].window = 8; }, "training does not support"},
        {[](Config& c) { c.architecture.kv_heads = 3; }, "a divisor of heads"},
        {[](Config& c) {
             c.n_head = 16, c.architecture.kv_heads = 16, c.architecture.head_size = 3;
         },
         "an even number"},
        {[](Config& c) { c.n_inner = 88; }, "a multiple of 16"}};
    CHECK_NOTHROW(ParameterLayout{small_llama()});
    for (const auto& [change, message] : refused) {
        Config config = small_llama();
        change(config);
        CHECK(contains(error_of([&] { ParameterLayout{config}; }), message));
    }
}
