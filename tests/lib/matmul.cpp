// matmul against its definition, bit for bit: nothing here has a tolerance.
#include "tests/catch.hpp"

#include <cmath>
#include <vector>

#include "tests/support/products.hpp"

using namespace tbt;
using namespace tbt::test;

TEST_CASE("a product small enough to check by hand", "[matmul]") {
    const Tensor x({2, 3}, Floats{1, 2, 3, 4, 5, 6}), w({3, 2}, Floats{1, 0, 0, 10, 2, 100});
    const Floats bias{1000, 2000};
    Tensor y({2, 2});
    matmul(x, PackedMatrix(MatrixView::of(w.data(), 3, 2)), y);
    CHECK(Floats(y.values().begin(), y.values().end()) == Floats{7, 320, 16, 650});
    matmul(x, PackedMatrix(MatrixView::of(w.data(), 3, 2)), y, {bias.data(), true}, 2);
    CHECK(Floats(y.values().begin(), y.values().end()) == Floats{1014, 2640, 1032, 3300});
}

TEST_CASE("products are added in the order of k, what y held comes first and the bias last",
          "[matmul]") {
    // 2^24 is the first float to which adding 1 changes nothing.
    const float big = 16777216.0f;
    const Floats x{big, 1, -big}, ones{1, 1, 1}, bias{1};
    const PackedMatrix w(MatrixView::of(ones.data(), 3, 1));
    const MatrixView row = MatrixView::of(x.data(), 1, 3);
    CHECK(multiplied(row, w, {5}, 1)[0] == 0.0f);
    CHECK(multiplied(row, w, {5}, 1, {bias.data(), false})[0] == 1.0f);
    CHECK(multiplied(row, w, {-1}, 1, {nullptr, true})[0] ==
          0.0f);  // big − 1 is a float; added at the end, −1
    const Floats forwards{1, big, -big};
    CHECK(multiplied(MatrixView::of(forwards.data(), 1, 3), w, {0}, 1)[0] == 0.0f);
    const Floats backwards{big, -big, 1};
    CHECK(multiplied(MatrixView::of(backwards.data(), 1, 3), w, {0}, 1)[0] == 1.0f);
}

TEST_CASE("a multiplication and its addition are rounded once", "[matmul]") {
    // (1 + 2^-12)² = 1 + 2^-11 + 2^-24, whose last term does not fit a float beside the first.
    const float a = 1.0f + 0x1p-12f;
    for (const std::int64_t rows : {1, 2, 4, 8, 30}) {
        const Floats x(static_cast<std::size_t>(rows), a),
            start(static_cast<std::size_t>(rows), -1.0f - 0x1p-11f);
        const Floats expected(static_cast<std::size_t>(rows), 0x1p-24f);
        const MatrixView column = MatrixView::of(x.data(), rows, 1),
                         weight = MatrixView::of(&a, 1, 1);
        CHECK(multiplied(column, PackedMatrix(weight), start, 1, {nullptr, true}) == expected);
        CHECK(plainly(column, weight, start, 1, {nullptr, true}) == expected);
    }
}

TEST_CASE("1 to 17 rows at awkward sizes agree with three plain loops", "[matmul]") {
    constexpr std::int64_t max_rows = 35;
    for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
        for (const std::int64_t K : {1, 2, 7, 33, 67}) {
            for (const std::int64_t N : {1, 3, 15, 16, 17, 47, 48, 49, 97, 191, 193, 401}) {
                const Floats x = random_floats(max_rows * K, 1), w = random_floats(K * N, 2);
                Floats w_stored = w;
                for (float& v : w_stored) v = stored(v, type);
                const PackedMatrix packed(MatrixView::of(w.data(), K, N), type);
                const Floats all(static_cast<std::size_t>(max_rows * N));
                const Floats expected = plainly(MatrixView::of(x.data(), max_rows, K),
                                                MatrixView::of(w_stored.data(), K, N), all, N);
                for (std::int64_t M = 1; M <= max_rows; ++M) {
                    const auto size = static_cast<std::ptrdiff_t>(M * N);
                    const Floats y(all.begin(), all.begin() + size);
                    INFO(M << " × " << K << " × " << N << ", type " << static_cast<int>(type));
                    REQUIRE(same_bits(multiplied(MatrixView::of(x.data(), M, K), packed, y, N),
                                      Floats(expected.begin(), expected.begin() + size)));
                }
            }
        }
    }
}

TEST_CASE("bias and sums that go on agree with three plain loops", "[matmul]") {
    for (const std::int64_t M : {1, 3, 5, 8, 21}) {
        for (const std::int64_t K : {5, 70, 800}) {
            const std::int64_t N = 211;
            const Floats x = random_floats(M * K, 3), w = random_floats(K * N, 4),
                         bias = random_floats(N, 5), start = random_floats(M * N, 6);
            const MatrixView x_view = MatrixView::of(x.data(), M, K),
                             w_view = MatrixView::of(w.data(), K, N);
            const PackedMatrix packed(w_view);
            for (const MatmulOptions& options :
                 {MatmulOptions{bias.data(), false}, MatmulOptions{nullptr, true},
                  MatmulOptions{bias.data(), true}}) {
                INFO(M << " × " << K << " × " << N << (options.bias ? " bias" : "")
                       << (options.accumulate ? " accumulate" : ""));
                REQUIRE(same_bits(multiplied(x_view, packed, start, N, options, 2),
                                  plainly(x_view, w_view, start, N, options)));
            }
        }
    }
}

TEST_CASE("sums that pass through several blocks keep their order", "[matmul]") {
    // More k than a block holds, more panels than a group holds, rows that leave a part of a tile.
    struct Size {
        std::int64_t M, K, N;
    };
    for (const Size& s :
         {Size{19, 1601, 300}, Size{150, 1601, 65}, Size{9, 3, 4000}, Size{8, 1601, 300}}) {
        const Floats x = random_floats(s.M * s.K, 7), w = random_floats(s.K * s.N, 8),
                     bias = random_floats(s.N, 9), y(static_cast<std::size_t>(s.M * s.N));
        const MatmulOptions options{bias.data(), false};
        const MatrixView rows = MatrixView::of(x.data(), s.M, s.K),
                         columns = MatrixView::of(x.data(), s.K, s.M).transposed();
        for (const WeightType type : {WeightType::f32, WeightType::bf16}) {
            Floats w_stored = w;
            for (float& v : w_stored) v = stored(v, type);
            const MatrixView w_view = MatrixView::of(w_stored.data(), s.K, s.N);
            const PackedMatrix packed(MatrixView::of(w.data(), s.K, s.N), type);
            INFO(s.M << " × " << s.K << " × " << s.N << ", type " << static_cast<int>(type));
            REQUIRE(same_bits(multiplied(rows, packed, y, s.N, options),
                              plainly(rows, w_view, y, s.N, options)));
            REQUIRE(same_bits(multiplied(columns, packed, y, s.N, options, 2),
                              plainly(columns, w_view, y, s.N, options)));
        }
    }
}

TEST_CASE("a vocabulary that fills no panel keeps its last columns", "[matmul]") {
    const std::int64_t K = 3, N = 50257;
    const Floats w = random_floats(N * K, 9), x = random_floats(5 * K, 10);
    const MatrixView table =
        MatrixView::of(w.data(), N, K).transposed();  // tied embeddings: (V, C) used as (C, V)
    const PackedMatrix packed(table);
    for (const std::int64_t M : {1, 5}) {
        const Floats y(static_cast<std::size_t>(M * N));
        const MatrixView rows = MatrixView::of(x.data(), M, K);
        REQUIRE(same_bits(multiplied(rows, packed, y, N, {}, 3), plainly(rows, table, y, N)));
    }
}
