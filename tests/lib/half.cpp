// 16-bit floats: how they are rounded, and that a matrix of them is widened exactly.
#include "tests/catch.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/products.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

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
