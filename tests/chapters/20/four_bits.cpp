// Products with weights of 4 bits against their definition, bit for bit.

#include "chapters/20_quantization/plain_four_bits.hpp"
#include "lib/core/index.hpp"
#include "lib/files/random_model.hpp"
#include "lib/model/transformer.hpp"
#include "lib/quantized/integer_matrix.hpp"
#include "tests/catch.hpp"
#include "tests/support/products.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

using test::Floats;
using test::same_bits;

struct Sizes {
    std::int64_t m, k, n;
};

// Numbers whose groups of 32 differ in size, some of them all zero: as weights, every multiplier
// from 0 to 127 occurs.
Floats uneven_floats(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    Floats w = test::random_floats(rows * columns, seed);
    Rng rng(seed);
    for (std::int64_t c = 0; c < columns; ++c) {
        float size = 0;
        for (std::int64_t k = 0; k < rows; ++k) {
            if (k % 32 == 0) size = rng.below(8) == 0 ? 0 : std::pow(rng.uniform_float(), 3.0f);
            w[index(k * columns + c)] *= size;
        }
    }
    return w;
}

Floats column_of(const Floats& w, std::int64_t k, std::int64_t n, std::int64_t c) {
    Floats column;
    for (std::int64_t i = 0; i < k; ++i) column.push_back(w[index(i * n + c)]);
    return column;
}

Floats plain_product(const Floats& x, const Floats& w, const Sizes& s, const Floats& bias) {
    Floats y;
    std::vector<FourBitColumn> columns;
    for (std::int64_t c = 0; c < s.n; ++c)
        columns.push_back(quantize_in_groups(column_of(w, s.k, s.n, c)));
    for (std::int64_t m = 0; m < s.m; ++m) {
        const QuantizedRow row = quantize(Floats(x.begin() + m * s.k, x.begin() + (m + 1) * s.k));
        for (std::int64_t c = 0; c < s.n; ++c)
            y.push_back(product(row, columns[index(c)], bias[index(c)]));
    }
    return y;
}

Floats fast_product(const Floats& x, const Floats& w, const Sizes& s, const Floats& bias,
                    int threads) {
    const PackedMatrix packed =
        pack_weights(MatrixView::of(w.data(), s.k, s.n), WeightType::int4, threads);
    return test::multiplied(MatrixView::of(x.data(), s.m, s.k), packed, Floats(index(s.m * s.n)),
                            s.n, {bias.data()}, threads);
}

}  // namespace

TEST_CASE("4-bit products are the plain ones, bit for bit, at awkward sizes") {
    std::uint64_t seed = 1;
    for (const std::int64_t m : {1, 2, 5, 6, 7, 13})
        for (const std::int64_t k : {1, 4, 5, 31, 32, 33, 192, 515})
            for (const std::int64_t n : {1, 31, 32, 33, 200, 416}) {
                const Sizes s{m, k, n};
                ++seed;
                const Floats x = test::random_floats(m * k, seed), w = uneven_floats(k, n, seed),
                             bias = test::random_floats(n, seed + 7);
                INFO(m << " x " << k << " x " << n);
                REQUIRE(same_bits(fast_product(x, w, s, bias, 1 + static_cast<int>(seed % 3)),
                                  plain_product(x, w, s, bias)));
            }
}

TEST_CASE("two groups by hand: the smaller one has the smaller step") {
    Floats w(64, 0.0f);
    w[0] = 889, w[1] = -127, w[2] = 60;     // the largest: unit 1, multiplier 127
    w[32] = 70, w[33] = -14, w[34] = 4.9f;  // 127 · 70 / 889 = 10: steps of 10
    const FourBitColumn column = quantize_in_groups(w);
    REQUIRE(column.unit == 1.0f);
    REQUIRE(column.m == std::vector<int>{127, 10});
    REQUIRE(Floats(column.q.begin(), column.q.begin() + 3) == Floats{7, -1, 0});
    REQUIRE(Floats(column.q.begin() + 32, column.q.begin() + 35) == Floats{7, -1, 0});
    const QuantizedRow ones = quantize(Floats(64, 1.0f));
    // (127 · (7 − 1) + 10 · (7 − 1)) · 127, and the row's scale is 1 / 127.
    REQUIRE(product(ones, column) == Approx(822).epsilon(1e-6));
}

TEST_CASE("a weight in 4 bits is off by half a step of its group at most") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Floats w = column_of(uneven_floats(100, 3, seed), 100, 3, 1);
        const FourBitColumn column = quantize_in_groups(w);
        for (std::size_t k = 0; k < w.size(); ++k) {
            const float step = column.unit * static_cast<float>(column.m[k / 32]),
                        back = step * static_cast<float>(column.q[k]);
            // Half a step; where the multiplier was rounded down, the largest may need 7.5 of them
            // and half a unit, for 7 · 127 units and 1 / 2 · 7.
            INFO(seed << " " << k);
            REQUIRE(std::abs(w[k] - back) <= 0.5001f * step + 3.5f * column.unit);
        }
    }
}

TEST_CASE("the greatest sums of 4 bits that may occur fit: 127 · 127 · 7 · K") {
    const std::int64_t K = Int4Matrix::max_rows;
    const Floats x(index(K), 1.0f), w(index(K), -1.0f), bias = {0};
    const Sizes s{1, K, 1};
    const Floats y = fast_product(x, w, s, bias, 1);
    REQUIRE(same_bits(y, plain_product(x, w, s, bias)));
    REQUIRE(std::abs(y[0] + static_cast<float>(K)) <= static_cast<float>(K) * 1e-6f);
    const Floats more(index(K) + 1, 1.0f);
    REQUIRE_THROWS_WITH(pack_weights(MatrixView::of(more.data(), K + 1, 1), WeightType::int4),
                        "int4: a weight matrix has 19021 rows, expected at most 19020 (their sum "
                        "must fit 32 bits); keep it as int8");
}

TEST_CASE("zeros stay zeros in 4 bits, tiny columns too, and broken weights are refused") {
    const Sizes s{1, 40, 2};
    const Floats x = test::random_floats(s.k, 1), bias = {0.5f, -2};
    for (const float tiny : {0.0f, -0.0f, 1e-42f, 1e-38f}) {
        const Floats w(index(s.k * s.n), tiny);
        const Floats y = fast_product(x, w, s, bias, 1);
        REQUIRE(same_bits(y, plain_product(x, w, s, bias)));
        REQUIRE(std::abs(y[0] - 0.5f) < 1e-30f);
    }
    for (const float broken : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
        Floats w(index(s.k * s.n), 1.0f);
        w[79] = broken;
        REQUIRE(std::isnan(quantize_in_groups(column_of(w, s.k, s.n, 1)).unit));
        REQUIRE_THROWS_WITH(pack_weights(MatrixView::of(w.data(), s.k, s.n), WeightType::int4),
                            "int4: a weight in column 1 is not finite; the model is broken");
        Floats bad = x;
        bad[3] = broken;
        const Floats y = fast_product(bad, Floats(index(s.k * s.n), 1.0f), s, bias, 1);
        REQUIRE(std::isnan(y[0]));
    }
    const Floats none;
    REQUIRE(fast_product(none, none, {1, 0, 1}, bias, 1)[0] == 0.5f);
}

TEST_CASE("4 bits take half of the memory of 8, and a ninth of 32") {
    const std::int64_t K = 768, N = 3072;
    const Floats w = test::random_floats(K * N, 1);
    const MatrixView view = MatrixView::of(w.data(), K, N);
    const PackedMatrix four = pack_weights(view, WeightType::int4),
                       eight = pack_weights(view, WeightType::int8);
    REQUIRE(four.bytes() == K * N * 17 / 32 + N * 4);
    REQUIRE(four.bytes() < eight.bytes() * 54 / 100);
}
