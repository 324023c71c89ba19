// matmul on whatever it may be given: strides, threads, matrices packed again, NaN, nothing at all.
#include "tests/catch.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/quantized/integer_matrix.hpp"
#include "tests/support/products.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("x, w and y may lie in memory in any way", "[matmul]") {
    const std::int64_t M = 13, K = 29, N = 53, gap = 3;
    const Floats memory = random_floats(20000, 11);
    const MatrixView dense_x = MatrixView::of(memory.data(), M, K),
                     dense_w = MatrixView::of(memory.data() + 5000, K, N);
    const MatrixView xs[] = {dense_x,
                             {memory.data(), M, K, K + gap, 1},
                             {memory.data(), M, K, 1, M},
                             {memory.data(), M, K, 1, M + gap},
                             {memory.data(), M, K, 2 * K, 2},
                             {memory.data(), M, K, 2, 2 * M},
                             {memory.data() + 100, M, K, 0, 1},
                             {memory.data() + 4000, M, K, -K, 1}};
    const MatrixView ws[] = {dense_w,
                             MatrixView::of(memory.data(), N, K).transposed(),
                             {memory.data(), K, N, N + gap, 1},
                             {memory.data(), K, N, 3 * N, 3}};
    for (const MatrixView& x : xs) {
        for (const MatrixView& w : ws) {
            for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{6}, M}) {
                const MatrixView some{x.data, rows, K, x.row_stride, x.column_stride};
                // Between the rows of y, and after them, nothing may be touched.
                const Floats y(static_cast<std::size_t>(M * (N + gap)), 7.0f);
                INFO(rows << " rows, x strides " << x.row_stride << " " << x.column_stride
                          << ", w strides " << w.row_stride << " " << w.column_stride);
                REQUIRE(same_bits(multiplied(some, PackedMatrix(w), y, N + gap),
                                  plainly(some, w, y, N + gap)));
            }
        }
    }
}

TEST_CASE("the number of threads changes no bit", "[matmul]") {
    struct Size {
        std::int64_t M, K, N;
    };
    for (const Size& s : {Size{1, 40, 700}, Size{4, 40, 333}, Size{100, 40, 20}, Size{37, 40, 150},
                          Size{3, 5, 1}, Size{64, 40, 64}}) {
        const Floats x = random_floats(s.M * s.K, 12), w = random_floats(s.K * s.N, 13),
                     bias = random_floats(s.N, 14);
        const MatrixView x_view = MatrixView::of(x.data(), s.M, s.K),
                         w_view = MatrixView::of(w.data(), s.K, s.N);
        const Floats start = random_floats(s.M * s.N, 15),
                     expected = plainly(x_view, w_view, start, s.N, {bias.data(), true});
        PackedMatrix packed;
        for (int threads = 1; threads <= 5; ++threads) {
            packed.reserve(s.K, s.N);
            run_team(threads, [&](const Worker& worker) { packed.pack(w_view, worker); });
            INFO(s.M << " × " << s.K << " × " << s.N << ", " << threads << " threads");
            REQUIRE(same_bits(multiplied(x_view, packed, start, s.N, {bias.data(), true}, threads),
                              expected));
        }
    }
}

TEST_CASE("a packed number that its type makes infinite is noticed", "[matmul]") {
    struct {
        float number;
        WeightType type;
        bool finite;
    } const cases[] = {{65519, WeightType::f16, true},     {-65520, WeightType::f16, false},
                       {65520, WeightType::bf16, true},    {3.38e38f, WeightType::bf16, true},
                       {3.4e38f, WeightType::bf16, false}, {3.4e38f, WeightType::f32, true}};
    for (const auto& c : cases) {
        Floats w = random_floats(50 * 20, 16);
        w[333] = c.number;
        INFO(c.number);
        CHECK(PackedMatrix(MatrixView::of(w.data(), 50, 20), c.type).finite() == c.finite);
    }
}

TEST_CASE("a packed matrix can be packed again, larger, smaller and as another type", "[matmul]") {
    PackedMatrix packed;
    for (const std::int64_t N : {20, 200, 3}) {
        for (const WeightType type : {WeightType::f16, WeightType::f32, WeightType::bf16}) {
            const std::int64_t K = 50;
            const Floats w = random_floats(K * N, 16), x = random_floats(2 * K, 17),
                         y(static_cast<std::size_t>(2 * N));
            Floats w_stored = w;
            for (float& v : w_stored) v = stored(v, type);
            packed.reserve(K, N, type);
            packed.pack(MatrixView::of(w.data(), K, N), Worker{});
            CHECK(packed.k() == K);
            CHECK(packed.n() == N);
            CHECK(packed.type() == type);
            CHECK(packed.bytes() >= K * N * (type == WeightType::f32 ? 4 : 2));
            const MatrixView rows = MatrixView::of(x.data(), 2, K);
            REQUIRE(same_bits(multiplied(rows, packed, y, N),
                              plainly(rows, MatrixView::of(w_stored.data(), K, N), y, N)));
        }
    }
}

TEST_CASE("a matrix that is packed again forgets what it was: in 8 bits, or not finite",
          "[matmul]") {
    const std::int64_t K = 50, N = 20;
    const Floats w = random_floats(K * N, 16), x = random_floats(K, 17), y(index(N));
    const MatrixView row = MatrixView::of(x.data(), 1, K), view = MatrixView::of(w.data(), K, N);
    Floats broken = w;
    broken[7] = not_a_number;
    PackedMatrix of_nan(MatrixView::of(broken.data(), K, N)),
        of_bytes =
            pack_weights(MatrixView::of(random_floats(K * N, 18).data(), K, N), WeightType::int8);
    REQUIRE(!of_nan.finite());
    for (PackedMatrix* packed : {&of_nan, &of_bytes}) {
        packed->reserve(K, N);
        packed->pack(view, Worker{});
        CHECK(packed->finite());
        CHECK(packed->type() == WeightType::f32);
        CHECK(packed->bytes() >= K * N * 4);
        CHECK(same_bits(multiplied(row, *packed, y, N), plainly(row, view, y, N)));
    }
}

TEST_CASE("NaN and infinity reach exactly the outputs that depend on them", "[matmul]") {
    const std::int64_t K = 20, N = 100;
    for (const std::int64_t M : {1, 2, 4, 7, 8, 25}) {
        Floats x = random_floats(M * K, 18), w = random_floats(K * N, 19);
        const std::int64_t row = M / 2, column = N - 1;
        x[static_cast<std::size_t>(row * K + 3)] = not_a_number;
        w[static_cast<std::size_t>(7 * N + column)] = infinity;
        w[static_cast<std::size_t>(3 * N + 5)] =
            0.0f;  // NaN · 0 is NaN: no product may be left out
        const PackedMatrix packed(MatrixView::of(w.data(), K, N));
        const Floats y = multiplied(MatrixView::of(x.data(), M, K), packed,
                                    Floats(static_cast<std::size_t>(M * N)), N);
        for (std::int64_t m = 0; m < M; ++m) {
            for (std::int64_t n = 0; n < N; ++n) {
                const float value = y[static_cast<std::size_t>(m * N + n)];
                INFO(M << " rows, y[" << m << ", " << n << "] = " << value);
                if (m == row) REQUIRE(std::isnan(value));
                else if (n == column) REQUIRE(std::isinf(value));
                else REQUIRE(std::isfinite(value));
            }
        }
    }
}

TEST_CASE("with nothing to sum y is zero, its old value or the bias", "[matmul]") {
    const PackedMatrix w(MatrixView::of(nullptr, 0, 3));
    const Floats bias{1, 2, 3};
    for (const std::int64_t M : {1, 12}) {
        const Floats start(static_cast<std::size_t>(M * 3), 5.0f);
        const MatrixView x = MatrixView::of(nullptr, M, 0);
        CHECK(multiplied(x, w, start, 3) == Floats(start.size(), 0.0f));
        CHECK(multiplied(x, w, start, 3, {nullptr, true}) == start);
        CHECK(multiplied(x, w, start, 3, {bias.data(), false})[1] == 2.0f);
    }
    const Floats some{1, 2};
    CHECK(multiplied(MatrixView::of(some.data(), 0, 2),
                     PackedMatrix(MatrixView::of(some.data(), 2, 1)), {9}, 1)[0] == 9.0f);
    CHECK(multiplied(MatrixView::of(some.data(), 1, 2),
                     PackedMatrix(MatrixView::of(some.data(), 2, 0)), {9}, 1)[0] == 9.0f);
}

TEST_CASE("shapes that do not fit are errors by name", "[matmul]") {
    const Floats values(12, 1.0f);
    const PackedMatrix w(MatrixView::of(values.data(), 3, 4));
    const Tensor x({2, 3}), wrong_x({2, 4}), flat_x({6});
    Tensor y({2, 4}), wrong_y({4, 2});
    CHECK(error_of([&] { matmul(wrong_x, w, y); }) ==
          "matmul: x has shape (2, 4), expected (2, 3)");
    CHECK(error_of([&] { matmul(x, w, wrong_y); }) ==
          "matmul: y has shape (4, 2), expected (2, 4)");
    CHECK(error_of([&] { matmul(flat_x, w, y); }) ==
          "matmul: x has shape (6), expected two dimensions");
    CHECK(error_of([&] {
              matmul(MatrixView::of(values.data(), 2, 4), w, y.data(), 4, {}, Worker{});
          }) == "matmul: x has shape (2, 4), expected 3 columns, as many as w has rows");
    CHECK(error_of([&] {
              PackedMatrix(MatrixView{values.data(), -1, 4, 4, 1});
          }).find("(-1, 4)") != std::string::npos);
    PackedMatrix reserved;
    reserved.reserve(3, 4);
    CHECK(error_of([&] { reserved.pack(MatrixView::of(values.data(), 4, 3), Worker{}); }) ==
          "matmul: weights to pack have shape (4, 3), expected (3, 4) as reserved");
    CHECK(error_of([&] {
              reserved.reserve(std::int64_t{1} << 40, std::int64_t{1} << 40);
          }).find("too large") != std::string::npos);
}
