// Exercise 25_01: RMS norm.
#include "25_01_rms_norm.hpp"
#include "chapters/25_todays_models/plain_llama_layers.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;

TEST_CASE("RMS norm of 3 and 4 by hand", "[ex25_01]") {
    THINK("divide by 3.5355, then multiply by γ");
    const ex25_01::Row expected = {3 / std::sqrt(12.5), 40 / std::sqrt(12.5)};
    CHECK_NEAR(ex25_01::rms_norm({3, 4}, {1, 10}, 0), expected, 1e-12);
}

TEST_CASE("epsilon is inside the root", "[ex25_01]") {
    THINK("√(mean + ε), not √mean + ε");
    const ex25_01::Row expected(2, std::sqrt(.5)), zeros(2);
    CHECK_NEAR(ex25_01::rms_norm({.001, .001}, {1, 1}, 1e-6), expected, 1e-9);
    CHECK_NEAR(ex25_01::rms_norm({0, 0}, {1, 1}, 1e-6), zeros, 1e-12);
}

TEST_CASE("no mean is taken off: a constant row stays one", "[ex25_01]") {
    THINK("the mean of (5, 5, 5) is 5, and RMS norm leaves it there");
    const ex25_01::Row ones = {1, 1, 1};
    CHECK_NEAR(ex25_01::rms_norm({5, 5, 5}, ones, 0), ones, 1e-12);
}

TEST_CASE("Gemma's 1 + gamma", "[ex25_01]") {
    THINK("adds_one: multiply by 1 + γ");
    CHECK_NEAR(ex25_01::rms_norm({2, -2}, {.5, -.5}, 0, true), (ex25_01::Row{1.5, -.5}), 1e-12);
}

TEST_CASE("RMS norm against the chapter's, on random rows", "[ex25_01]") {
    THINK("x / √(mean of x² + ε) · γ");
    Rng rng(1);
    for (int round = 0; round < 500; ++round) {
        const std::size_t C = 1 + static_cast<std::size_t>(round % 40);
        const tbt::Row fx = normal_row<float>(rng, C), fgamma = normal_row<float>(rng, C),
                       y = tbt::rms_norm(fx, fgamma, 1e-2f);
        const ex25_01::Row x(fx.begin(), fx.end()), gamma(fgamma.begin(), fgamma.end());
        INPUT(x, gamma);
        // Floats: a few roundings of numbers up to 10.
        CHECK_NEAR(ex25_01::rms_norm(x, gamma, 1e-2), ex25_01::Row(y.begin(), y.end()), 1e-5);
    }
}
