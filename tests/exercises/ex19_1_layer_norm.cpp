// Exercise 19_1: the backward pass of layer norm.
#include "19_1_layer_norm.hpp"
#include "lib/train/train_layers.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using ex19_1::epsilon;
using ex19_1::Row;

namespace {

std::pair<double, double> mean_and_variance(const Row& x) {
    const double C = double(x.size());
    double mean = 0, variance = 0;
    for (const double v : x) mean += v / C;
    for (const double v : x) variance += (v - mean) * (v - mean) / C;
    return {mean, variance};
}

Row forward(const Row& x, const Row& gain, const Row& bias) {
    const auto [mean, variance] = mean_and_variance(x);
    Row y;
    for (std::size_t i = 0; i < x.size(); ++i)
        y.push_back((x[i] - mean) / std::sqrt(variance + epsilon) * gain[i] + bias[i]);
    return y;
}

struct Gradients {
    Row x, gain, bias;
};
Gradients backward(const Row& x, const Row& gain, const Row& d_y) {
    Gradients d{Row(x.size()), Row(x.size()), Row(x.size())};
    ex19_1::layer_norm_backward(x, gain, d_y, d.x, d.gain, d.bias);
    return d;
}
}  // namespace

TEST_CASE("a row of 1 and -1", "[ex19_1]") {
    const double r = 1 / std::sqrt(1 + epsilon);
    const Gradients d = backward({1, -1}, {2, 3}, {1, 0});
    same(d.gain, Row{r, 0}, "x = {1, -1}, gain = {2, 3}, d_y = {1, 0}: d_gain", "d_y·x̂", 1e-12);
    same(d.bias, Row{1, 0}, "x = {1, -1}, gain = {2, 3}, d_y = {1, 0}: d_bias", "d_y");
    // g = {2, 0}: mean 1; mean of g·x̂ is r; so d_x_0 is r·(2 − 1 − r²)
    const double first = r * (1 - r * r);
    same(d.x, Row{first, -first}, "x = {1, -1}, gain = {2, 3}, d_y = {1, 0}: d_x", "sums to 0",
         1e-12);
}

TEST_CASE("one number alone is always normalised away", "[ex19_1]") {
    const Gradients d = backward({7}, {2}, {3});
    same(d.x, Row{0}, "C = 1: d_x", "no change of x changes y", 1e-12);
    same(d.gain, Row{0}, "C = 1: d_gain", "x̂ is 0", 1e-12);
    same(d.bias, Row{3}, "C = 1: d_bias", "d_y");
}

TEST_CASE("a row of equal numbers divides by √ε, not by 0", "[ex19_1]") {
    const Gradients d = backward({4, 4}, {1, 1}, {1, 0});
    const double big = .5 / std::sqrt(epsilon);
    same(d.x, Row{big, -big}, "x = {4, 4}, d_y = {1, 0}: d_x", "ε under the root", 1e-9);
}

TEST_CASE("gradients are added to what is there", "[ex19_1]") {
    Row d_x{10, 20, 30}, d_gain{1, 2, 3}, d_bias{-1, -2, -3};
    const Row x{.5, -1, 2}, gain{1, 2, -1}, d_y{1, -1, .5};
    const Gradients fresh = backward(x, gain, d_y);
    ex19_1::layer_norm_backward(x, gain, d_y, d_x, d_gain, d_bias);
    for (std::size_t i = 0; i < 3; ++i) {
        const double before[] = {10. * double(i + 1), double(i + 1), -double(i + 1)};
        same(Row{d_x[i], d_gain[i], d_bias[i]},
             Row{before[0] + fresh.x[i], before[1] + fresh.gain[i], before[2] + fresh.bias[i]},
             "place " + std::to_string(i) + ": d_x, d_gain, d_bias after other gradients",
             "+=, not =", 1e-12);
    }
}

TEST_CASE("any row: the gradient is what a small change does", "[ex19_1]") {
    Rng rng(1910);
    constexpr double h = 1e-5;
    for (int round = 0; round < 300; ++round) {
        const std::size_t C = 1 + rng.below(7);
        const Row x = normal_row(rng, C), gain = normal_row(rng, C), bias = normal_row(rng, C),
                  d_y = normal_row(rng, C);
        // The loss Σ y·d_y has d_y as its gradient.
        const auto loss = [&](const Row& a, const Row& b, const Row& c) {
            const Row y = forward(a, b, c);
            double sum = 0;
            for (std::size_t i = 0; i < C; ++i) sum += y[i] * d_y[i];
            return sum;
        };
        Gradients expected{Row(C), Row(C), Row(C)};
        for (std::size_t i = 0; i < C; ++i) {
            const auto moved = [&](Row row, double by) {
                row[i] += by;
                return row;
            };
            const auto slope = [&](const auto& at) { return (at(h) - at(-h)) / (2 * h); };
            expected.x[i] = slope([&](double by) { return loss(moved(x, by), gain, bias); });
            expected.gain[i] = slope([&](double by) { return loss(x, moved(gain, by), bias); });
            expected.bias[i] = slope([&](double by) { return loss(x, gain, moved(bias, by)); });
        }
        const Gradients got = backward(x, gain, d_y);
        const std::string given =
            "x = " + in_words(x) + ", gain = " + in_words(gain) + ", d_y = " + in_words(d_y) + ": ";
        // Differences are right to h² times the third derivative, which grows as a row is flat.
        if (C == 1 || mean_and_variance(x).second > .01)
            same(got.x, expected.x, given + "d_x", "small changes", 1e-5);
        same(got.gain, expected.gain, given + "d_gain", "small changes", 1e-8);
        same(got.bias, expected.bias, given + "d_bias", "small changes", 1e-8);
    }
}

TEST_CASE("the same as the trainer's", "[ex19_1]") {
    Rng rng(1911);
    constexpr std::size_t C = 16;
    for (int round = 0; round < 200; ++round) {
        const Row x = normal_row(rng, C), gain = normal_row(rng, C), d_y = normal_row(rng, C);
        const auto floats = [](const Row& row) {
            return std::vector<float>(row.begin(), row.end());
        };
        std::vector<float> y(C), stats(2), d_x(C), d_gain(C), d_bias(C), bias(C);
        train::layer_norm(floats(x).data(), floats(gain).data(), bias.data(), y.data(),
                          stats.data(), 1, C);
        train::layer_norm_backward(floats(x).data(), stats.data(), floats(gain).data(),
                                   floats(d_y).data(), d_x.data(), d_gain.data(), d_bias.data(), 1,
                                   C);
        const Gradients got = backward(x, gain, d_y);
        same(got.x, d_x, "a row of 16: d_x", "the trainer's, in floats", 1e-4);
        same(got.gain, d_gain, "a row of 16: d_gain", "the trainer's, in floats", 1e-4);
        same(got.bias, d_bias, "a row of 16: d_bias", "the trainer's, in floats", 1e-4);
    }
}
