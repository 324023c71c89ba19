#include "tests/catch.hpp"

#include <cfloat>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/half.hpp"
#include "lib/core/rng.hpp"
#include "lib/kernels/bf16_matmul.hpp"
#include "lib/train/parameters.hpp"
#include "lib/train/trainer.hpp"

using namespace tbt;

namespace {

using Floats = std::vector<float>;

float rounded(float x) { return from_bf16(to_bf16(x)); }
float flushed(float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0f, x) : x; }

// The definition of bf16_matmul.hpp, in three loops.
void plain(const MatrixView& a, const MatrixView& b, float* y, std::int64_t y_stride,
           const MatmulOptions& options) {
    const auto at = [](const MatrixView& v, std::int64_t r, std::int64_t c) {
        return flushed(rounded(v.data[r * v.row_stride + c * v.column_stride]));
    };
    for (std::int64_t m = 0; m < a.rows; ++m) {
        for (std::int64_t n = 0; n < b.columns; ++n) {
            float* element = y + m * y_stride + n;
            float sum = options.accumulate ? flushed(*element) : 0.0f;
            for (std::int64_t k0 = 0; k0 < a.columns; k0 += 32) {
                float half[2] = {0, 0};
                for (std::int64_t k = k0; k < std::min(k0 + 32, a.columns); ++k)
                    half[k % 2] = flushed(std::fma(at(a, m, k), at(b, k, n), half[k % 2]));
                sum = flushed(sum + flushed(half[0] + half[1]));
            }
            *element = options.bias ? sum + options.bias[n] : sum;
        }
    }
}

Floats random_floats(std::int64_t n, std::uint64_t seed, float scale) {
    Rng rng(seed);
    Floats values(static_cast<std::size_t>(n));
    for (float& v : values) v = scale * static_cast<float>(rng.normal());
    return values;
}

MatrixView view(const Floats& values, std::int64_t rows, std::int64_t columns, bool turned) {
    return turned ? MatrixView::of(values.data(), columns, rows).transposed()
                  : MatrixView::of(values.data(), rows, columns);
}

}  // namespace

TEST_CASE("products in bfloat16 are the definition's bit for bit, with a matrix unit and without",
          "[bf16]") {
    std::uint64_t seed = 1;
    for (const auto& [M, K, N] : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1},
                                                                          {1, 32, 16},
                                                                          {3, 5, 7},
                                                                          {16, 32, 16},
                                                                          {17, 33, 17},
                                                                          {32, 64, 32},
                                                                          {33, 31, 48},
                                                                          {48, 192, 31},
                                                                          {64, 100, 64},
                                                                          {5, 512, 80}}) {
        for (int variant = 0; variant < 16; ++variant) {
            const bool turn_a = variant & 1, turn_b = variant & 2, more = variant & 4;
            // The smallest products are subnormal: with both factors near 1e-19 all are.
            const float scale = variant & 8 ? 1e-19f : 1.0f;
            const Floats a = random_floats(M * K, ++seed, scale),
                         b = random_floats(K * N, ++seed, scale),
                         bias = random_floats(N, ++seed, scale),
                         before = random_floats(M * (N + 3), ++seed, scale * scale);
            const MatrixView A = view(a, M, K, turn_a), B = view(b, K, N, turn_b);
            const MatmulOptions options{turn_a ? bias.data() : nullptr, more};
            Bf16Left left;
            Bf16Right right;
            left.pack(A);
            right.reserve(K, N);
            right.pack(B, Worker{});
            Floats expected = before, unit = before, portable = before;
            plain(A, B, expected.data(), N + 3, options);
            bf16_matmul(left, right, unit.data(), N + 3, options);
            bf16_matmul_portable(left, right, portable.data(), N + 3, options);
            INFO("M " << M << ", K " << K << ", N " << N << ", variant " << variant);
            REQUIRE(unit == expected);
            REQUIRE(portable == expected);
        }
    }
}

TEST_CASE("a bfloat16 product of shapes that do not fit is refused", "[bf16]") {
    const Floats values(64 * 64, 1.0f);
    Bf16Left left;
    Bf16Right right;
    left.pack(MatrixView::of(values.data(), 4, 8));
    right.reserve(9, 4);
    CHECK_THROWS_AS(right.pack(MatrixView::of(values.data(), 8, 4), Worker{}), Error);
    right.pack(MatrixView::of(values.data(), 9, 4), Worker{});
    Floats y(16);
    CHECK_THROWS_AS(bf16_matmul(left, right, y.data(), 4), Error);
    CHECK_THROWS_AS(left.pack({values.data(), 4, 4, 8, 2}), Error);
}

TEST_CASE("not a number and infinities go through a bfloat16 product", "[bf16]") {
    const Floats a = {1, INFINITY}, b = {NAN, 1, 2, 3};
    Bf16Left left;
    Bf16Right right;
    left.pack(MatrixView::of(a.data(), 1, 2));
    right.reserve(2, 2);
    right.pack(MatrixView::of(b.data(), 2, 2), Worker{});
    Floats y(2);
    bf16_matmul(left, right, y.data(), 2);
    CHECK(std::isnan(y[0]));
    CHECK(y[1] == INFINITY);
}

namespace {

// The gradient of one batch, by a model of random weights.
Floats gradient_of(train::Precision precision, int threads, int parts = 2) {
    const TransformerConfig shape = gpt_config(2, 3, 48, 40, 53);
    train::Trainer model(shape, threads, parts, precision);
    train::initialise(model.parameters(), model.layout(), shape, 7);
    model.parameters_changed();
    Rng rng(3);
    std::vector<std::int32_t> ids(3 * 37), targets(3 * 37);
    for (auto* row : {&ids, &targets})
        for (auto& id : *row) id = static_cast<std::int32_t>(rng.uniform() * 53);
    model.gradient(ids, targets, 3, 37);
    return {model.gradients().begin(), model.gradients().end()};
}

double length(const Floats& v) {
    double sum = 0;
    for (const float x : v) sum += static_cast<double>(x) * static_cast<double>(x);
    return std::sqrt(sum);
}

}  // namespace

TEST_CASE("training in bfloat16 follows float32's gradient to a hundredth", "[bf16]") {
    const Floats exact = gradient_of(train::Precision::f32, 1),
                 rounded_too = gradient_of(train::Precision::bf16, 1);
    Floats difference = exact;
    for (std::size_t i = 0; i < exact.size(); ++i) difference[i] -= rounded_too[i];
    // Each factor is off by at most 2^-9 of itself, and errors of both signs meet in the sums.
    CHECK(length(difference) <= 0.01 * length(exact));
    CHECK(length(difference) > 1e-5 * length(exact));  // so it was rounded
}

TEST_CASE("training in bfloat16 has the same bits on one thread and on two", "[bf16]") {
    CHECK(gradient_of(train::Precision::bf16, 1) == gradient_of(train::Precision::bf16, 2));
}

TEST_CASE("a precision that training does not have is named", "[bf16]") {
    CHECK(train::name_of(train::precision_of("bf16")) == "bf16");
    CHECK_THROWS_WITH(train::precision_of("f16"),
                      "train: the precision is \"f16\", expected f32 or bf16");
}
