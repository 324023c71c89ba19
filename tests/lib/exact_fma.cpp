// Fused multiply-add for WebAssembly, held against this machine's own.
#include "lib/kernels/wasm/exact_fma.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lib/core/rng.hpp"
#include "lib/kernels/packed_matrix.hpp"
#include "tests/catch.hpp"

using namespace tbt;

namespace {

// Floats of exponents from -spread to spread around 2^centre, with some of the last bits cleared:
// whole numbers of large steps meet in ties.
float any_float(Rng& rng, int centre, int spread) {
    const auto bits = static_cast<std::uint32_t>(rng.next());
    const int exponent = centre + static_cast<int>(rng.next() % (2 * spread + 1)) - spread;
    const std::uint32_t cleared = ~std::uint32_t{0} << rng.next() % 23;
    const auto mantissa = static_cast<float>(0x800000 | (bits & cleared & 0x7fffff));
    return std::ldexp(bits >> 31 ? -mantissa : mantissa, exponent - 23);
}

double any_double(Rng& rng, int centre, int spread) {
    const std::uint64_t bits = rng.next() << 32 | (rng.next() & 0xffffffff);
    const int exponent = centre + static_cast<int>(rng.next() % (2 * spread + 1)) - spread;
    const std::uint64_t cleared = ~std::uint64_t{0} << rng.next() % 52;
    const auto mantissa = static_cast<double>(1ull << 52 | (bits & cleared & ((1ull << 52) - 1)));
    return std::ldexp(bits >> 63 ? -mantissa : mantissa, exponent - 52);
}

long wrong_floats(int centre, int spread, long times) {
    Rng rng(7);
    long wrong = 0;
    for (long i = 0; i < times; ++i) {
        const float a = any_float(rng, centre, spread), b = any_float(rng, centre, spread),
                    c = any_float(rng, 2 * centre, 3 * spread);
        wrong += std::bit_cast<std::uint32_t>(wasm::fma(a, b, c)) !=
                 std::bit_cast<std::uint32_t>(std::fma(a, b, c));
    }
    return wrong;
}

}  // namespace

TEST_CASE("the float that a C library gets wrong is right") {
    CHECK(wasm::fma(.9474001f, 4.639901e-7f, -.24325085f) == -0x1.f22d46p-3f);
}

TEST_CASE("floats are multiplied and added as the processor does, ties and the smallest too") {
    CHECK(wrong_floats(0, 12, 1'000'000) == 0);
    CHECK(wrong_floats(-66, 6, 300'000) == 0);  // sums around 2^-126 and below
    CHECK(wrong_floats(-72, 4, 300'000) == 0);
    CHECK(wrong_floats(62, 3, 100'000) == 0);  // up to infinity
}

TEST_CASE("without rounding to odd, there are floats that come out wrong") {
    Rng rng(7);
    long wrong = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const float a = any_float(rng, 0, 12), b = any_float(rng, 0, 12), c = any_float(rng, 0, 36);
        const auto twice = static_cast<float>(static_cast<double>(a) * b + static_cast<double>(c));
        wrong += twice != std::fma(a, b, c);
    }
    CHECK(wrong > 0);
}

TEST_CASE("infinities and zeros are as the processor has them") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float values[] = {0.0f,     -0.0f,     1.0f,      -1.0f,
                            infinity, -infinity, 0x1p-149f, 0x1.fffffep127f};
    for (const float a : values)
        for (const float b : values)
            for (const float c : values) {
                const float got = wasm::fma(a, b, c), wanted = std::fma(a, b, c);
                INFO(a << " · " << b << " + " << c);
                CHECK((std::isnan(wanted) ? std::isnan(got)
                                          : std::bit_cast<std::uint32_t>(got) ==
                                                std::bit_cast<std::uint32_t>(wanted)));
            }
}

TEST_CASE("doubles within the usual range are multiplied and added as the processor does") {
    Rng rng(11);
    long wrong = 0, unusual = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const double a = any_double(rng, 0, 60), b = any_double(rng, 0, 60),
                     c = i % 16 ? any_double(rng, 0, 180) : 0.0;
        unusual += !wasm::usual(a, b, c);
        wrong += std::bit_cast<std::uint64_t>(wasm::usual_fma(a, b, c)) !=
                 std::bit_cast<std::uint64_t>(std::fma(a, b, c));
    }
    CHECK(unusual == 0);
    CHECK(wrong == 0);
    CHECK_FALSE(wasm::usual(0x1p-500, 1, 1));
    CHECK_FALSE(wasm::usual(1, 0x1p500, 1));
    CHECK_FALSE(wasm::usual(1, 1, std::numeric_limits<double>::infinity()));
}

TEST_CASE("how small and how large the numbers of a row are, zeros and signs left aside") {
    const float row[] = {0.0f, -3.0f, 0.5f, -0.0f, -0x1p-140f, 2.0f};
    CHECK(magnitudes_of(row, 1, 5).smallest == 0x1p-140f);
    CHECK(magnitudes_of(row, 1, 5).largest == 3.0f);
    CHECK(magnitudes_of(row, 2, 3).smallest == 0x1p-140f);
    CHECK(magnitudes_of(row, 2, 3).largest == 0.5f);
    CHECK(magnitudes_of(row + 1, 2, 3).smallest == 2.0f);
    CHECK(magnitudes_of(row + 3, 1, 1).largest == 0.0f);
    CHECK(magnitudes_of(row + 3, 1, 1).smallest == 0.0f);
    CHECK(magnitudes_of(row, 1, 0).largest == 0.0f);
    const float broken[] = {1.0f, -std::numeric_limits<float>::quiet_NaN(), 5.0f};
    CHECK(std::isnan(magnitudes_of(broken, 1, 3).largest));
    CHECK(magnitudes_of(broken, 1, 3).smallest == 1.0f);
}
