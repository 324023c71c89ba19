// Exercise 25_04: a gated MLP.
#include "25_04_gated_mlp.hpp"
#include "chapters/25_todays_models/plain_llama_layers.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using ex25_04::Matrix;
using ex25_04::mlp;

TEST_CASE("silu by hand", "[ex25_04]") {
    THINK("x / (1 + e^−x)");
    CHECK_NEAR(ex25_04::silu(0), 0, 1e-12);
    CHECK_NEAR(ex25_04::silu(2), 1.7615941559557649, 1e-12);
    CHECK_NEAR(ex25_04::silu(-2), -.23840584404423515, 1e-12);
    CHECK_NEAR(ex25_04::silu(-1000), 0, 1e-12);
    CHECK_NEAR(ex25_04::silu(1000), 1000, 1e-9);
}

TEST_CASE("silu against the chapter's", "[ex25_04]") {
    THINK("x / (1 + e^−x)");
    for (double x = -20; x < 20; x += .37) {
        INPUT(x);
        CHECK_NEAR(ex25_04::silu(x), tbt::silu(static_cast<float>(x)), 1e-5);  // floats up to 20
    }
}

TEST_CASE("the gated MLP of the statement by hand", "[ex25_04]") {
    THINK("gate x = 2 goes through silu, up x = 6 does not");
    const ex25_04::Row expected = {6 * 1.7615941559557649, -6 * 1.7615941559557649};
    CHECK_NEAR(mlp({1, 2}, {{2, 0}}, {{0, 3}}, {{1}, {-1}}), expected, 1e-9);
}

TEST_CASE("a closed gate lets nothing through, whatever up says", "[ex25_04]") {
    THINK("silu(gate) multiplies up");
    const ex25_04::Row nothing = {0};
    CHECK_NEAR(mlp({1}, {{0}}, {{500}}, {{1}}), nothing, 1e-12);
    CHECK_NEAR(mlp({1}, {{-900}}, {{500}}, {{1}}), nothing, 1e-12);
}

TEST_CASE("random matrices: the definition, feature by feature", "[ex25_04]") {
    THINK("down times the product of silu(gate x) and up x");
    Rng rng(5);
    for (int round = 0; round < 100; ++round) {
        const std::size_t C = 1 + rng.below(5), F = 1 + rng.below(7);
        const ex25_04::Row x = normal_row(rng, C);
        const Matrix gate = normal_rows(rng, F, C), up = normal_rows(rng, F, C),
                     down = normal_rows(rng, C, F);
        ex25_04::Row expected(C, 0.0);
        for (std::size_t f = 0; f < F; ++f) {
            double g = 0, u = 0;
            for (std::size_t c = 0; c < C; ++c) g += gate[f][c] * x[c], u += up[f][c] * x[c];
            for (std::size_t c = 0; c < C; ++c)
                expected[c] += down[c][f] * u * g / (1 + std::exp(-g));
        }
        INPUT(x, gate, up, down);
        CHECK_NEAR(mlp(x, gate, up, down), expected, 1e-9);
    }
}
