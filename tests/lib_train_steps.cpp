// The training step around the layers: model, threads, optimiser, checkpoints.
#include "tests/catch.hpp"

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include <unistd.h>

#include "lib/error.hpp"
#include "lib/kernels/rng.hpp"
#include "lib/machine/files.hpp"
#include "lib/train/adamw.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/fma_peak.hpp"
#include "lib/train/gpt_trainer.hpp"
#include "tests/temporary.hpp"

using namespace tbt;
using namespace tbt::train;
using tbt::test::error_of;

namespace {

const GptConfig tiny = gpt_config(2, 2, 32, 40, 61);

std::vector<std::int32_t> random_ids(std::size_t n, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<std::int32_t> ids(n);
    for (auto& id : ids)
        id = static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(tiny.vocab_size)));
    return ids;
}

std::string temporary(const std::string& name) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("tbt-train-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}

}  // namespace

TEST_CASE("gradients have the same bits for any number of threads", "[train]") {
    const auto ids = random_ids(5 * 33, 1), targets = random_ids(5 * 33, 2);
    std::vector<float> first;
    for (const int threads : {1, 2, 3}) {
        GptTrainer model(tiny, threads, 4);
        initialise(model.parameters(), model.layout(), tiny, 7);
        model.parameters_changed();
        model.gradient(ids, targets, 5, 33);
        const std::vector<float> gradients(model.gradients().begin(), model.gradients().end());
        if (threads == 1) first = gradients;
        REQUIRE(gradients == first);
    }
    CHECK(std::ranges::count(first, 0.0f) < static_cast<std::ptrdiff_t>(first.size()) / 4);
}

TEST_CASE(
    "a teacher's gradient is that of every possible target, each as often as the teacher says",
    "[train]") {
    const GptConfig small = gpt_config(1, 2, 16, 4, 17), other = gpt_config(2, 1, 32, 6, 17);
    GptTrainer student(small, 1), teacher(other, 2);
    initialise(student.parameters(), student.layout(), small, 7);
    initialise(teacher.parameters(), teacher.layout(), other, 8);
    for (float& p : teacher.parameters()) p *= 5;  // a law far from even
    student.parameters_changed();
    teacher.parameters_changed();
    const std::vector<std::int32_t> ids{3};
    std::vector<double> expected(student.gradients().size());
    double total = 0;
    for (std::int32_t v = 0; v < 17; ++v) {
        const std::vector<std::int32_t> target{v};
        const double q = std::exp(-teacher.losses(ids, target, 1, 1)[0]);
        student.gradient(ids, target, 1, 1);
        for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] += q * static_cast<double>(student.gradients()[i]);
        total += q;
    }
    REQUIRE(std::abs(total - 1) <= 1e-6);
    student.learn_from(&teacher);
    const std::vector<std::int32_t> target{5};
    const double loss = student.gradient(ids, target, 1, 1);
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double difference =
            std::abs(expected[i] - static_cast<double>(student.gradients()[i]));
        REQUIRE(difference <= 1e-6);  // a few float roundings of numbers below 1
        largest = std::max(largest, std::abs(expected[i]));
    }
    CHECK(largest > 0.01);
    CHECK(loss == student.losses(ids, target, 1, 1)[0]);  // the text's loss, whoever teaches
}

TEST_CASE("who is taught by a model with the same weights has nothing to learn", "[train]") {
    const auto ids = random_ids(2 * 30, 1), targets = random_ids(2 * 30, 2);
    GptTrainer model(tiny, 2), teacher(tiny, 2);
    initialise(model.parameters(), model.layout(), tiny, 7);
    initialise(teacher.parameters(), teacher.layout(), tiny, 7);
    model.parameters_changed();
    teacher.parameters_changed();
    model.learn_from(&teacher);
    model.gradient(ids, targets, 2, 30);
    CHECK(std::ranges::all_of(model.gradients(), [](float g) { return g == 0.0f; }));
    GptTrainer foreign(gpt_config(1, 2, 32, 40, 60), 2);
    CHECK(error_of([&] { model.learn_from(&foreign); }).find("a teacher of 60 tokens") !=
          std::string::npos);
}

TEST_CASE("what was computed before leaves no trace in a gradient", "[train]") {
    const auto ids = random_ids(4 * 30, 1), targets = random_ids(4 * 30, 2);
    GptTrainer fresh(tiny, 2), used(tiny, 2);
    for (GptTrainer* model : {&fresh, &used}) {
        initialise(model->parameters(), model->layout(), tiny, 7);
        model->parameters_changed();
    }
    used.gradient(random_ids(2 * 40, 3), random_ids(2 * 40, 4), 2, 40);
    used.losses(random_ids(3, 3), random_ids(3, 4), 3, 1);
    CHECK(used.gradient(ids, targets, 4, 30) == fresh.gradient(ids, targets, 4, 30));
    CHECK(std::ranges::equal(used.gradients(), fresh.gradients()));
}

TEST_CASE("losses without gradients are those with gradients", "[train]") {
    const auto ids = random_ids(3 * 20, 1);
    auto targets = random_ids(3 * 20, 2);
    targets[7] = -1;
    GptTrainer model(tiny, 2);
    initialise(model.parameters(), model.layout(), tiny, 7);
    model.parameters_changed();
    const std::vector<double> losses = model.losses(ids, targets, 3, 20);
    CHECK(losses[7] == 0);
    CHECK(std::abs(std::accumulate(losses.begin(), losses.end(), 0.0) / 59 -
                   model.gradient(ids, targets, 3, 20)) <= 1e-12);
    // Nothing is learned yet: close to the entropy of a uniform choice.
    CHECK(std::abs(losses[0] - std::log(61.0)) < 0.5);
}

TEST_CASE("the future does not reach back: a changed token changes no loss before it", "[train]") {
    auto ids = random_ids(40, 1);
    const auto targets = random_ids(40, 2);
    GptTrainer model(tiny, 1);
    initialise(model.parameters(), model.layout(), tiny, 7);
    model.parameters_changed();
    const auto before = model.losses(ids, targets, 1, 40);
    ids[25] = (ids[25] + 1) % 61;
    const auto after = model.losses(ids, targets, 1, 40);
    CHECK(std::equal(before.begin(), before.begin() + 25, after.begin()));
    CHECK(before[25] != after[25]);
}

TEST_CASE("where masks are filled, every token reaches every other, and the mask is no target",
          "[train]") {
    GptTrainer model(gpt_config(2, 2, 32, 8, 20), 1, 1, Precision::f32, true);
    initialise(model.parameters(), model.layout(), model.shape(), 1);
    model.parameters_changed();
    std::vector<std::int32_t> ids = {1, 2, 3, 19, 5, 6}, targets = {-1, -1, -1, 4, -1, -1};
    const double before = model.losses(ids, targets, 1, 6)[3];
    for (const std::size_t t : {0u, 2u, 4u, 5u}) {
        std::vector<std::int32_t> changed = ids;
        changed[t] = 7;
        CHECK(model.losses(changed, targets, 1, 6)[3] != before);
    }
    targets[3] = 19;
    CHECK_THROWS_AS(model.losses(ids, targets, 1, 6), Error);
    GptTrainer reader(gpt_config(2, 2, 32, 8, 20), 1);
    CHECK_THROWS_AS(reader.learn_from(&model), Error);
}

TEST_CASE("a start is drawn as GPT-2 draws it", "[train]") {
    const GptConfig shape = gpt_config(8, 2, 64, 128, 300);
    const ParameterLayout layout(shape);
    std::vector<float> values(static_cast<std::size_t>(layout.total)), other(values.size());
    initialise(values, layout, shape, 3);
    const auto deviation = [&](const std::string& name) {
        double squares = 0;
        for (std::int64_t i = 0; i < layout[name].size; ++i) {
            const double w = values[static_cast<std::size_t>(layout[name].offset + i)];
            squares += w * w;
        }
        return std::sqrt(squares / static_cast<double>(layout[name].size));
    };
    // n draws estimate a deviation to 1 / √(2n): 0.5 % at n = 19,200, 1.1 % at 4,096;
    // five of these.
    CHECK(std::abs(deviation("wte.weight") / 0.02 - 1) <= 0.026);
    CHECK(std::abs(deviation("wpe.weight") / 0.01 - 1) <= 0.04);
    CHECK(std::abs(deviation("h.3.mlp.c_fc.weight") / 0.02 - 1) <= 0.03);
    CHECK(std::abs(deviation("h.3.mlp.c_proj.weight") / (0.02 / 4) - 1) <= 0.03);
    CHECK(std::abs(deviation("h.0.attn.c_proj.weight") / (0.02 / 4) - 1) <= 0.056);
    CHECK(deviation("h.0.attn.c_attn.bias") == 0);
    CHECK(deviation("ln_f.weight") == 1);
    CHECK(deviation("h.7.ln_2.bias") == 0);
    initialise(other, layout, shape, 4);
    CHECK(other != values);
    initialise(other, layout, shape, 3);
    CHECK(other == values);
}

TEST_CASE("GPT-2's smallest model has 124,439,808 parameters", "[train]") {
    CHECK(ParameterLayout(gpt_config(12, 12, 768, 1024, 50257)).count() == 124'439'808);
}

TEST_CASE("AdamW: moments, bias correction, clipping and decay as in the paper, over ten steps",
          "[train]") {
    const GptConfig shape = gpt_config(1, 1, 16, 4, 5);
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
    const GptConfig shape = gpt_config(1, 1, 16, 4, 5);
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
    GptTrainer model(tiny, 1);
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
    GptTrainer model(tiny, 2, 3);
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
    CHECK(error_of([&] {
              read_checkpoint(path, {y, x});
          }).find("another size") != std::string::npos);
    CHECK(error_of([&] {
              read_checkpoint(temporary("none"), {x, y});
          }).find("none") != std::string::npos);
    CHECK(y[0] == 77);
    std::filesystem::remove_all(std::filesystem::path(path).parent_path());
}

TEST_CASE("impossible shapes and batches are refused by name", "[train]") {
    CHECK(error_of([&] {
              ParameterLayout(gpt_config(2, 5, 32, 40, 61));
          }).find("multiple of heads") != std::string::npos);
    CHECK(error_of([&] { ParameterLayout(gpt_config(2, 2, 40, 40, 61)); }).find("multiple of 16") !=
          std::string::npos);
    CHECK(error_of([&] { ParameterLayout(gpt_config(0, 2, 32, 40, 61)); }).find("layers") !=
          std::string::npos);
    CHECK(error_of([&] { ParameterLayout(gpt_config(2, 2, 32, 0, 61)); }).find("context") !=
          std::string::npos);
    CHECK(error_of([&] { ParameterLayout(gpt_config(2, 2, 32, 40, 1)); }).find("vocab") !=
          std::string::npos);
    GptTrainer model(tiny, 1);
    CHECK(error_of([&] {
              model.gradient(random_ids(41, 1), random_ids(41, 2), 1, 41);
          }).find("41") != std::string::npos);
    CHECK(error_of([&] {
              model.gradient(random_ids(6, 1), random_ids(5, 2), 2, 3);
          }).find("targets") != std::string::npos);
    CHECK(error_of([&] {
              model.gradient(std::vector<std::int32_t>{61}, std::vector<std::int32_t>{0}, 1, 1);
          }).find("vocabulary") != std::string::npos);
    CHECK(error_of([&] {
              model.gradient(std::vector<std::int32_t>{-1}, std::vector<std::int32_t>{0}, 1, 1);
          }).find("vocabulary") != std::string::npos);
}

TEST_CASE("the peak of the machine is a rate", "[train]") { CHECK(fma_peak(1, 0.002) > 1e8); }
