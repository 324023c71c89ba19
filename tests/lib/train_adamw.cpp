// The training step around the layers: model, threads, optimiser, checkpoints.
#include "tests/catch.hpp"

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/core/rng.hpp"
#include "lib/machine/files.hpp"
#include "lib/train/adamw.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/trainer.hpp"
#include "tests/support/temporary.hpp"
#include "tests/support/tiny_training.hpp"

using namespace tbt;
using namespace tbt::train;
using tbt::test::contains;
using tbt::test::error_of;
using namespace tbt::train::test;

TEST_CASE("AdamW: moments, bias correction, clipping and decay as in the paper, over ten steps",
          "[train]") {
    const TransformerConfig shape = gpt_config(1, 1, 16, 4, 5);
    const ParameterLayout layout(shape);
    const AdamWOptions options{0.9f, 0.95f, 1e-8f, 0.1f, 1.0f};
    AdamW optimiser(layout, options);
    std::vector<float> w(static_cast<std::size_t>(layout.total)), g(w.size());
    std::vector<bool> decay(w.size()), used(w.size());
    Rng rng(3);
    for (const ParameterInfo& t : layout.tensors) {
        for (std::int64_t i = t.offset; i < t.offset + t.size; ++i) {
            w[static_cast<std::size_t>(i)] = static_cast<float>(rng.normal());
            decay[static_cast<std::size_t>(i)] = t.shape.size() == 2;
            used[static_cast<std::size_t>(i)] = true;
        }
    }
    std::vector<double> W(w.begin(), w.end()), m(w.size()), v(w.size());
    for (int t = 1; t <= 10; ++t) {
        double squares = 0;
        for (std::size_t i = 0; i < g.size(); ++i) {
            g[i] = used[i] ? static_cast<float>((t % 2 ? 1e-3 : 1) * rng.normal()) : 0.0f;
            squares += static_cast<double>(g[i]) * static_cast<double>(g[i]);
        }
        const double rate = 0.01 * t, norm_before = std::sqrt(squares);
        REQUIRE(std::abs(optimiser.step(w, g, t, rate, t % 3 + 1) / norm_before - 1) <= 1e-12);
        for (std::size_t i = 0; i < g.size(); ++i) {
            const double clipped = static_cast<double>(g[i]) * std::min(1.0, 1.0 / norm_before);
            m[i] = 0.9 * m[i] + 0.1 * clipped;
            v[i] = 0.95 * v[i] + 0.05 * clipped * clipped;
            W[i] -= rate * (m[i] / (1 - std::pow(0.9, t)) /
                                (std::sqrt(v[i] / (1 - std::pow(0.95, t))) + 1e-8) +
                            (decay[i] ? 0.1 * W[i] : 0));
        }
    }
    // Weights of about 1 that moved by about 0.5 in ten steps of a few roundings each;
    // 1 − 0.95f differs from 0.05 by 1e-7.
    for (std::size_t i = 0; i < w.size(); ++i)
        REQUIRE(std::abs(static_cast<double>(w[i]) - W[i]) <= 3e-6);
}

TEST_CASE("the first step of AdamW moves every weight by the learning rate", "[train]") {
    const TransformerConfig shape = gpt_config(1, 1, 16, 4, 5);
    const ParameterLayout layout(shape);
    AdamW optimiser(layout, {});
    std::vector<float> w(static_cast<std::size_t>(layout.total)), g(w.size(), 1e-3f);
    optimiser.step(w, g, 1, 0.25, 1);
    const auto bias = static_cast<std::size_t>(layout["ln_f.bias"].offset);
    CHECK(std::abs(w[bias] + 0.25f) <= 1e-5f);  // ε / |g| = 1e-5 of it is missing
}

TEST_CASE("the learning rate climbs to its peak, then falls along a cosine to a tenth", "[train]") {
    CHECK(learning_rate(0, 100, 1000, 2e-3) == Approx(2e-5));
    CHECK(learning_rate(99, 100, 1000, 2e-3) == 2e-3);
    CHECK(learning_rate(100, 100, 1000, 2e-3) == Approx(2e-3).epsilon(1e-12));
    CHECK(learning_rate(550, 100, 1000, 2e-3) == Approx(1.1e-3).epsilon(1e-12));
    CHECK(learning_rate(325, 100, 1000, 2e-3) ==
          Approx(2e-3 * (0.55 + 0.45 * std::cos(std::acos(-1.0) / 4))).epsilon(1e-12));
    CHECK(learning_rate(1000, 100, 1000, 2e-3) == Approx(2e-4).epsilon(1e-12));
    CHECK(learning_rate(5000, 100, 1000, 2e-3) == Approx(2e-4).epsilon(1e-12));
    CHECK(learning_rate(0, 0, 10, 1.0) == Approx(1.0));
}

TEST_CASE("training steps make the loss fall on a text that can be learned by heart", "[train]") {
    Trainer model(tiny, 1);
    initialise(model.parameters(), model.layout(), tiny, 1);
    model.parameters_changed();
    AdamW optimiser(model.layout(), {});
    std::vector<std::int32_t> ids(80), targets(80);
    for (std::size_t i = 0; i < 80; ++i) {
        ids[i] = static_cast<std::int32_t>(i * 7 % 61);
        targets[i] = static_cast<std::int32_t>((i + 1) * 7 % 61);
    }
    double loss = 0;
    for (int t = 1; t <= 60; ++t) {
        loss = model.gradient(ids, targets, 2, 40);
        optimiser.step(model.parameters(), model.gradients(), t, 1e-2, 1);
        model.parameters_changed();
    }
    CHECK(loss < 0.05);  // from ln 61 = 4.1
}

TEST_CASE("three steps give the same bits on every machine", "[train]") {
    Trainer model(tiny, 2, 3);
    initialise(model.parameters(), model.layout(), tiny, 1);
    AdamW optimiser(model.layout(), {});
    for (int t = 1; t <= 3; ++t) {
        model.parameters_changed();
        model.gradient(random_ids(4 * 37, 10), random_ids(4 * 37, 11), 4, 37);
        optimiser.step(model.parameters(), model.gradients(), t, learning_rate(t, 2, 10, 1e-2), 2);
    }
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const float w : model.parameters())
        hash = (hash ^ std::bit_cast<std::uint32_t>(w)) * 0x100000001b3u;
    CHECK(hash == 0x619a6de8f981bda8u);  // seen with AVX-512 and with AVX2
}

TEST_CASE("a checkpoint comes back as it was written; a damaged one is refused and touches nothing",
          "[train]") {
    const std::string path = temporary("checkpoint");
    const std::vector<float> a = {1, -0.0f, 3e-40f, std::numeric_limits<float>::infinity()},
                             b = {5};
    write_checkpoint(path, "header", {a, b});
    std::vector<float> x(4), y(1);
    CHECK(read_checkpoint_header(path) == "header");
    CHECK(read_checkpoint(path, {x, y}) == "header");
    CHECK(x == a);
    CHECK(std::signbit(x[1]));
    CHECK(y == b);
    const std::string good = read_file(path);
    y[0] = 77;
    for (std::size_t length = 0; length < good.size(); length += 7) {
        write_file(path, good.substr(0, length));
        REQUIRE_THROWS_AS(read_checkpoint(path, {x, y}), Error);
    }
    for (std::size_t i = 0; i < good.size(); i += 5) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 0x41);
        write_file(path, bad);
        REQUIRE_THROWS_AS(read_checkpoint(path, {x, y}), Error);
    }
    write_file(path, good);
    const auto said = [](const std::string& file, std::span<float> first, std::span<float> second) {
        return error_of([&] { read_checkpoint(file, {first, second}); });
    };
    CHECK(contains(said(path, y, x), "another size"));
    CHECK(contains(said(temporary("none"), x, y), "none"));
    CHECK(y[0] == 77);
    std::filesystem::remove_all(std::filesystem::path(path).parent_path());
}

TEST_CASE("impossible shapes and batches are refused by name", "[train]") {
    for (const auto& [shape, message] :
         {std::pair{gpt_config(2, 5, 32, 40, 61), "multiple of heads"},
          {gpt_config(2, 2, 40, 40, 61), "multiple of 16"},
          {gpt_config(0, 2, 32, 40, 61), "layers"},
          {gpt_config(2, 2, 32, 0, 61), "context"},
          {gpt_config(2, 2, 32, 40, 1), "vocab"}})
        CHECK(contains(error_of([&s = shape] { ParameterLayout{s}; }), message));
    Trainer model(tiny, 1);
    const auto said = [&](const std::vector<std::int32_t>& ids,
                          const std::vector<std::int32_t>& targets, std::int64_t B,
                          std::int64_t T) {
        return error_of([&] { model.gradient(ids, targets, B, T); });
    };
    CHECK(contains(said(random_ids(41, 1), random_ids(41, 2), 1, 41), "41"));
    CHECK(contains(said(random_ids(6, 1), random_ids(5, 2), 2, 3), "targets"));
    for (const std::int32_t id : {61, -1}) CHECK(contains(said({id}, {0}, 1, 1), "vocabulary"));
}

TEST_CASE("the peak of the machine is a rate", "[train]") { CHECK(fma_peak(1, 0.002) > 1e8); }
