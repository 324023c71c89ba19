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

namespace {

void start(Trainer& model, std::uint64_t seed) {
    initialise(model.parameters(), model.layout(), model.shape(), seed);
    model.parameters_changed();
}

}  // namespace

TEST_CASE("gradients have the same bits for any number of threads", "[train]") {
    const auto ids = random_ids(5 * 33, 1), targets = random_ids(5 * 33, 2);
    std::vector<float> first;
    for (const int threads : {1, 2, 3}) {
        Trainer model(tiny, threads, 4);
        start(model, 7);
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
    const TransformerConfig small = gpt_config(1, 2, 16, 4, 17),
                            other = gpt_config(2, 1, 32, 6, 17);
    Trainer student(small, 1), teacher(other, 2);
    initialise(student.parameters(), student.layout(), small, 7);
    initialise(teacher.parameters(), teacher.layout(), other, 8);
    for (float& p : teacher.parameters()) p *= 5;  // a distribution far from even
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
    Trainer model(tiny, 2), teacher(tiny, 2);
    start(model, 7), start(teacher, 7);
    model.learn_from(&teacher);
    model.gradient(ids, targets, 2, 30);
    CHECK(std::ranges::all_of(model.gradients(), [](float g) { return g == 0.0f; }));
    Trainer foreign(gpt_config(1, 2, 32, 40, 60), 2);
    CHECK(contains(error_of([&] { model.learn_from(&foreign); }), "a teacher of 60 tokens"));
}

TEST_CASE("what was computed before leaves no trace in a gradient", "[train]") {
    const auto ids = random_ids(4 * 30, 1), targets = random_ids(4 * 30, 2);
    Trainer fresh(tiny, 2), used(tiny, 2);
    for (Trainer* model : {&fresh, &used}) {
        start(*model, 7);
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
    Trainer model(tiny, 2);
    start(model, 7);
    const std::vector<double> losses = model.losses(ids, targets, 3, 20);
    CHECK(losses[7] == 0);
    CHECK(std::abs(std::accumulate(losses.begin(), losses.end(), 0.0) / 59 -
                   model.gradient(ids, targets, 3, 20)) <= 1e-12);
    // Nothing is learned yet: close to the entropy of a uniform choice.
    CHECK(std::abs(losses[0] - std::log(61.0)) < 0.5);
}

TEST_CASE("in a long sequence each row has its own part of the gradient", "[train]") {
    // The head takes 256 rows at a time. Only row 280 has a target. An output that is no input has
    // its gradient from the head alone: it is how the loss changes.
    const TransformerConfig shape = gpt_config(1, 1, 16, 300, 61);
    Trainer model(shape, 1);
    initialise(model.parameters(), model.layout(), shape, 7);
    auto ids = random_ids(300, 1);
    std::ranges::replace(ids, 60, 0);
    std::vector<std::int32_t> targets(300, -1);
    targets[280] = 5;
    model.parameters_changed();
    model.gradient(ids, targets, 1, 300);
    const auto first = static_cast<std::size_t>(model.layout()["wte.weight"].offset + 60 * 16);
    for (std::size_t i = first; i < first + 16; ++i) {
        float& w = model.parameters()[i];
        const float before = w;
        const auto loss = [&](float at) {
            w = at;
            model.parameters_changed();
            return model.losses(ids, targets, 1, 300)[280];
        };
        const double slope = (loss(before + 0.0625f) - loss(before - 0.0625f)) / 0.125;
        w = before;
        // The loss is not straight: its third derivative is below .1, and .1 / 6 · .0625² < 1e-4.
        REQUIRE(std::abs(slope - static_cast<double>(model.gradients()[i])) <= 1e-4);
    }
}

TEST_CASE("the future does not reach back: a changed token changes no loss before it", "[train]") {
    auto ids = random_ids(40, 1);
    const auto targets = random_ids(40, 2);
    Trainer model(tiny, 1);
    start(model, 7);
    const auto before = model.losses(ids, targets, 1, 40);
    ids[25] = (ids[25] + 1) % 61;
    const auto after = model.losses(ids, targets, 1, 40);
    CHECK(std::equal(before.begin(), before.begin() + 25, after.begin()));
    CHECK(before[25] != after[25]);
}

TEST_CASE("where masks are filled, every token reaches every other, and the mask is no target",
          "[train]") {
    Trainer model(gpt_config(2, 2, 32, 8, 20), 1, 1, true);
    start(model, 1);
    std::vector<std::int32_t> ids = {1, 2, 3, 19, 5, 6}, targets = {-1, -1, -1, 4, -1, -1};
    const double before = model.losses(ids, targets, 1, 6)[3];
    for (const std::size_t t : {0u, 2u, 4u, 5u}) {
        std::vector<std::int32_t> changed = ids;
        changed[t] = 7;
        CHECK(model.losses(changed, targets, 1, 6)[3] != before);
    }
    targets[3] = 19;
    CHECK_THROWS_AS(model.losses(ids, targets, 1, 6), Error);
    Trainer reader(gpt_config(2, 2, 32, 8, 20), 1);
    CHECK_THROWS_AS(reader.learn_from(&model), Error);
}

TEST_CASE("a start is drawn as GPT-2 draws it", "[train]") {
    const TransformerConfig shape = gpt_config(8, 2, 64, 128, 300);
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
