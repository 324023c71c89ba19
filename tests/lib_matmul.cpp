// matmul against its definition, bit for bit: nothing here has a tolerance.
#include "tests/catch.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "lib/error.hpp"
#include "lib/kernels/half.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/kernels/rng.hpp"
#include "tests/temporary.hpp"

using namespace tbt;
using tbt::test::error_of;

namespace {

using Floats = std::vector<float>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// In (−1, 1), all different: a row taken for a column or a neighbour would show.
Floats random_floats(std::int64_t n, std::uint64_t seed) {
    Rng rng(seed);
    Floats values(static_cast<std::size_t>(n));
    for (float& v : values) v = 2.0f * rng.uniform_float() - 1.0f;
    return values;
}

bool same_bits(const Floats& a, const Floats& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

// What a weight becomes when it is stored as `type`.
float stored(float value, WeightType type) {
    if (type == WeightType::f16) return from_f16(to_f16(value));
    if (type == WeightType::bf16) return from_bf16(to_bf16(value));
    return value;
}

Floats multiplied(const MatrixView& x, const PackedMatrix& w, Floats y, std::int64_t y_stride,
                  const MatmulOptions& options = {}, int threads = 1) {
    run_team(threads,
             [&](const Worker& worker) { matmul(x, w, y.data(), y_stride, options, worker); });
    return y;
}

Floats plainly(const MatrixView& x, const MatrixView& w, Floats y, std::int64_t y_stride,
               const MatmulOptions& options = {}) {
    matmul_plain(x, w, y.data(), y_stride, options);
    return y;
}

}  // namespace

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
    constexpr std::int64_t most_rows = 17;
    for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
        for (const std::int64_t K : {1, 2, 7, 33, 67}) {
            for (const std::int64_t N : {1, 3, 15, 16, 17, 47, 48, 49, 97, 191, 193, 401}) {
                const Floats x = random_floats(most_rows * K, 1), w = random_floats(K * N, 2);
                Floats w_stored = w;
                for (float& v : w_stored) v = stored(v, type);
                const PackedMatrix packed(MatrixView::of(w.data(), K, N), type);
                const Floats all(static_cast<std::size_t>(most_rows * N));
                const Floats expected = plainly(MatrixView::of(x.data(), most_rows, K),
                                                MatrixView::of(w_stored.data(), K, N), all, N);
                for (std::int64_t M = 1; M <= most_rows; ++M) {
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
         {Size{19, 1601, 300}, Size{150, 801, 65}, Size{9, 3, 4000}, Size{8, 1601, 300}}) {
        const Floats x = random_floats(s.M * s.K, 7), w = random_floats(s.K * s.N, 8),
                     y(static_cast<std::size_t>(s.M * s.N));
        const MatrixView rows = MatrixView::of(x.data(), s.M, s.K),
                         columns = MatrixView::of(x.data(), s.K, s.M).transposed();
        for (const WeightType type : {WeightType::f32, WeightType::bf16}) {
            Floats w_stored = w;
            for (float& v : w_stored) v = stored(v, type);
            const MatrixView w_view = MatrixView::of(w_stored.data(), s.K, s.N);
            const PackedMatrix packed(MatrixView::of(w.data(), s.K, s.N), type);
            INFO(s.M << " × " << s.K << " × " << s.N << ", type " << static_cast<int>(type));
            REQUIRE(same_bits(multiplied(rows, packed, y, s.N), plainly(rows, w_view, y, s.N)));
            REQUIRE(same_bits(multiplied(columns, packed, y, s.N, {}, 2),
                              plainly(columns, w_view, y, s.N)));
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

TEST_CASE("16-bit floats round to nearest, ties to even", "[matmul][half]") {
    struct Example {
        float value;
        std::uint16_t f16, bf16;
    };
    const Example examples[] = {
        {0.0f, 0x0000, 0x0000},
        {-0.0f, 0x8000, 0x8000},
        {1.0f, 0x3c00, 0x3f80},
        {-2.0f, 0xc000, 0xc000},
        {infinity, 0x7c00, 0x7f80},
        {-infinity, 0xfc00, 0xff80},
        {65504.0f, 0x7bff, 0x4780},                        // the largest f16
        {std::nextafter(65520.0f, 0.0f), 0x7bff, 0x4780},  // still nearer to it
        {65520.0f, 0x7c00, 0x4780},                        // halfway to 65536: even, so infinity
        {0x1p-14f, 0x0400, 0x3880},
        {0x1p-24f, 0x0001, 0x3380},  // the smallest normal and the smallest f16
        {0x1p-25f, 0x0000, 0x3300},  // half of it: a tie, to zero
        {std::nextafter(0x1p-25f, 1.0f), 0x0001, 0x3300},
        {0x1.8p-24f, 0x0002, 0x33c0},
        {0x1.ffcp-15f, 0x0400, 0x3880},  // subnormals round up into the normal ones
        {1.0f + 0x1p-11f, 0x3c00, 0x3f80},
        {1.0f + 0x1.8p-10f, 0x3c02, 0x3f80},  // ties between f16 values
        {1.0f + 0x1p-8f, 0x3c04, 0x3f80},
        {1.0f + 0x1.8p-7f, 0x3c0c, 0x3f82},  // ties between bf16 values
        {std::numeric_limits<float>::max(), 0x7c00, 0x7f80},
        {0x1p-149f, 0x0000, 0x0000},
    };
    for (const Example& e : examples) {
        INFO(e.value);
        CHECK(to_f16(e.value) == e.f16);
        CHECK(to_bf16(e.value) == e.bf16);
    }
    // A NaN whose payload lies in the bits that are dropped must not become an infinity.
    const float low_payload = std::bit_cast<float>(0x7f800001u);
    CHECK(std::isnan(from_f16(to_f16(low_payload))));
    CHECK(std::isnan(from_bf16(to_bf16(low_payload))));
}

TEST_CASE("all 65,536 16-bit weights are widened to their exact value", "[matmul][half]") {
    constexpr std::int64_t N = 65536;
    const float one = 1.0f;
    Floats f16(N), bf16(N);
    for (std::uint32_t i = 0; i < N; ++i) {
        f16[i] = from_f16(static_cast<std::uint16_t>(i));
        bf16[i] = from_bf16(static_cast<std::uint16_t>(i));
        if (std::isnan(f16[i])) REQUIRE((i & 0x7fffu) > 0x7c00u);
        else {
            // The definition: (−1)^s · 1.f · 2^(e−15), or (−1)^s · 0.f · 2^−14.
            const int exponent = static_cast<int>((i >> 10) & 31u),
                      fraction = static_cast<int>(i & 1023u);
            const double magnitude = exponent == 31  ? static_cast<double>(infinity)
                                     : exponent == 0 ? std::ldexp(fraction, -24)
                                                     : std::ldexp(1024 + fraction, exponent - 25);
            REQUIRE(static_cast<double>(f16[i]) == (i & 0x8000u ? -magnitude : magnitude));
            REQUIRE(to_f16(f16[i]) == i);
        }
        if (!std::isnan(bf16[i])) REQUIRE(to_bf16(bf16[i]) == i);
    }
    for (const std::int64_t M : {1, 9}) {  // in registers, and widened a block at a time
        const Floats x(static_cast<std::size_t>(M), one);
        for (const WeightType type : {WeightType::f16, WeightType::bf16}) {
            const Floats& w = type == WeightType::f16 ? f16 : bf16;
            const Floats y = multiplied(MatrixView::of(x.data(), M, 1),
                                        PackedMatrix(MatrixView::of(w.data(), 1, N), type),
                                        Floats(static_cast<std::size_t>(M * N)), N);
            for (std::size_t i = 0; i < N; ++i) {
                const float got = y[static_cast<std::size_t>(M - 1) * N + i];
                if (std::isnan(w[i])) REQUIRE(std::isnan(got));
                else REQUIRE(got == w[i]);
            }
        }
    }
}
