#include "lib/quantized/gguf_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "lib/core/math.hpp"

namespace tbt {

namespace {

int byte_at(const std::byte* p, int i) { return std::to_integer<int>(p[i]); }
int low(const std::byte* p, int i) { return byte_at(p, i) & 15; }
int high(const std::byte* p, int i) { return byte_at(p, i) >> 4; }
int signed_at(const std::byte* p, int i) { return static_cast<std::int8_t>(byte_at(p, i)); }
std::uint16_t u16_at(const std::byte* p) {
    std::uint16_t n;
    std::memcpy(&n, p, sizeof n);
    return n;
}
float half_at(const std::byte* p) { return from_f16(u16_at(p)); }
float number(int q) { return static_cast<float>(q); }

// ---- one number ---------------------------------------------------------------------------------
void widen_f32(const std::byte* b, float* y) { std::memcpy(y, b, sizeof *y); }
void widen_f16(const std::byte* b, float* y) { *y = half_at(b); }
void widen_bf16(const std::byte* b, float* y) { *y = from_bf16(u16_at(b)); }

// ---- blocks of 32: a scale d, sometimes a minimum m, then the numbers ---------------------------
// With 4 bits, byte i of 16 has number i in its low and number i + 16 in its high half.
void widen_q4_0(const std::byte* b, float* y) {
    const float d = half_at(b);
    for (int i = 0; i < 16; ++i) {
        y[i] = number(low(b + 2, i) - 8) * d;
        y[i + 16] = number(high(b + 2, i) - 8) * d;
    }
}

void widen_q4_1(const std::byte* b, float* y) {
    const float d = half_at(b), m = half_at(b + 2);
    for (int i = 0; i < 16; ++i) {
        y[i] = number(low(b + 4, i)) * d + m;
        y[i + 16] = number(high(b + 4, i)) * d + m;
    }
}

// The fifth bit of number i is bit i of four bytes.
int fifth(const std::byte* bits, int i) { return (byte_at(bits, i / 8) >> i % 8 & 1) << 4; }

void widen_q5_0(const std::byte* b, float* y) {
    const float d = half_at(b);
    for (int i = 0; i < 16; ++i) {
        y[i] = number((low(b + 6, i) | fifth(b + 2, i)) - 16) * d;
        y[i + 16] = number((high(b + 6, i) | fifth(b + 2, i + 16)) - 16) * d;
    }
}

void widen_q5_1(const std::byte* b, float* y) {
    const float d = half_at(b), m = half_at(b + 2);
    for (int i = 0; i < 16; ++i) {
        y[i] = number(low(b + 8, i) | fifth(b + 4, i)) * d + m;
        y[i + 16] = number(high(b + 8, i) | fifth(b + 4, i + 16)) * d + m;
    }
}

void widen_q8_0(const std::byte* b, float* y) {
    const float d = half_at(b);
    for (int i = 0; i < 32; ++i) y[i] = number(signed_at(b + 2, i)) * d;
}

// Codes for numbers that are not evenly spaced.
constexpr int normal_values[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                 1,    13,   25,  38,  53,  69,  89,  113};
constexpr int twice_e2m1[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

void widen_coded(const std::byte* codes, const int* values, float d, float* y) {
    for (int i = 0; i < 16; ++i) {
        y[i] = d * number(values[low(codes, i)]);
        y[i + 16] = d * number(values[high(codes, i)]);
    }
}

void widen_iq4_nl(const std::byte* b, float* y) {
    widen_coded(b + 2, normal_values, half_at(b), y);
}

// The scale is a power of two: half of it here, since the table has twice the values.
void widen_mxfp4(const std::byte* b, float* y) {
    const auto exponent = static_cast<std::uint32_t>(byte_at(b, 0));
    const float half =
        std::bit_cast<float>(exponent < 2 ? 0x200000u << exponent : (exponent - 1) << 23);
    widen_coded(b + 1, twice_e2m1, half, y);
}

// ---- blocks of 256: groups of 16 or 32, whose scales are small integers -------------------------
void widen_q2_k(const std::byte* b, float* y) {
    const std::byte *scales = b, *q = b + 16;
    const float d = half_at(b + 80), m = half_at(b + 82);
    for (int i = 0; i < 256; ++i) {
        const int group = i / 16, bits = byte_at(q, i / 128 * 32 + i % 32) >> i % 128 / 32 * 2 & 3;
        y[i] = d * number(low(scales, group)) * number(bits) - m * number(high(scales, group));
    }
}

void widen_q3_k(const std::byte* b, float* y) {
    const std::byte *high_bits = b, *q = b + 32, *scales = b + 96;
    const float d = half_at(b + 108);
    for (int i = 0; i < 256; ++i) {
        const int g = i / 16, four = g < 8 ? low(scales, g) : high(scales, g - 8),
                  scale = (four | (byte_at(scales, 8 + g % 4) >> g / 4 * 2 & 3) << 4) - 32;
        const int two = byte_at(q, i / 128 * 32 + i % 32) >> i % 128 / 32 * 2 & 3,
                  third = byte_at(high_bits, i % 32) >> i / 32 & 1;
        y[i] = d * number(scale) * number(two - (third ? 0 : 4));
    }
}

// The scale and the minimum of group j, 6 bits each, packed in 12 bytes.
struct Pair {
    float scale, minimum;
};
Pair scale_and_minimum(const std::byte* s, int j, float d, float m) {
    if (j < 4) return {d * number(byte_at(s, j) & 63), m * number(byte_at(s, j + 4) & 63)};
    return {d * number(low(s, j + 4) | byte_at(s, j - 4) >> 6 << 4),
            m * number(high(s, j + 4) | byte_at(s, j) >> 6 << 4)};
}

void widen_q4_k(const std::byte* b, float* y) {
    for (int j = 0; j < 8; ++j) {
        const auto [d, m] = scale_and_minimum(b + 4, j, half_at(b), half_at(b + 2));
        const std::byte* q = b + 16 + j / 2 * 32;
        for (int i = 0; i < 32; ++i) *y++ = d * number(j % 2 == 0 ? low(q, i) : high(q, i)) - m;
    }
}

void widen_q5_k(const std::byte* b, float* y) {
    for (int j = 0; j < 8; ++j) {
        const auto [d, m] = scale_and_minimum(b + 4, j, half_at(b), half_at(b + 2));
        const std::byte *fifths = b + 16, *q = b + 48 + j / 2 * 32;
        for (int i = 0; i < 32; ++i)
            *y++ = d * number((j % 2 == 0 ? low(q, i) : high(q, i)) | (byte_at(fifths, i) >> j & 1)
                                                                          << 4) -
                   m;
    }
}

void widen_q6_k(const std::byte* b, float* y) {
    const float d = half_at(b + 208);
    for (int i = 0; i < 256; ++i) {
        const int part = i / 128, quarter = i % 128 / 32;
        const std::byte *four = b + part * 64 + i % 64, *two = b + 128 + part * 32 + i % 32;
        const int q = (quarter < 2 ? low(four, 0) : high(four, 0)) |
                      (byte_at(two, 0) >> quarter * 2 & 3) << 4;
        y[i] = d * number(signed_at(b + 192, i / 16)) * number(q - 32);
    }
}

void widen_iq4_xs(const std::byte* b, float* y) {
    const int high_bits = u16_at(b + 2);
    for (int j = 0; j < 8; ++j) {
        const int scale = (byte_at(b, 4 + j / 2) >> j % 2 * 4 & 15) | (high_bits >> 2 * j & 3) << 4;
        widen_coded(b + 8 + j * 16, normal_values, half_at(b) * number(scale - 32), y + j * 32);
    }
}

constexpr GgufBlock blocks[] = {{0, "F32", 1, 4, widen_f32},
                                {1, "F16", 1, 2, widen_f16},
                                {30, "BF16", 1, 2, widen_bf16},
                                {2, "Q4_0", 32, 18, widen_q4_0, 4},
                                {3, "Q4_1", 32, 20, widen_q4_1, 4},
                                {6, "Q5_0", 32, 22, widen_q5_0, 5},
                                {7, "Q5_1", 32, 24, widen_q5_1, 5},
                                {8, "Q8_0", 32, 34, widen_q8_0, 8},
                                {10, "Q2_K", 256, 84, widen_q2_k, 2},
                                {11, "Q3_K", 256, 110, widen_q3_k, 3},
                                {12, "Q4_K", 256, 144, widen_q4_k, 4},
                                {13, "Q5_K", 256, 176, widen_q5_k, 5},
                                {14, "Q6_K", 256, 210, widen_q6_k, 6},
                                {20, "IQ4_NL", 32, 18, widen_iq4_nl, 4},
                                {23, "IQ4_XS", 256, 136, widen_iq4_xs, 4},
                                {39, "MXFP4", 32, 17, widen_mxfp4, 4},
                                {9, "Q8_1", 0, 0, nullptr},
                                {15, "Q8_K", 0, 0, nullptr},
                                {16, "IQ2_XXS", 0, 0, nullptr},
                                {17, "IQ2_XS", 0, 0, nullptr},
                                {18, "IQ3_XXS", 0, 0, nullptr},
                                {19, "IQ1_S", 0, 0, nullptr},
                                {21, "IQ3_S", 0, 0, nullptr},
                                {22, "IQ2_S", 0, 0, nullptr},
                                {24, "I8", 0, 0, nullptr},
                                {25, "I16", 0, 0, nullptr},
                                {26, "I32", 0, 0, nullptr},
                                {27, "I64", 0, 0, nullptr},
                                {28, "F64", 0, 0, nullptr},
                                {29, "IQ1_M", 0, 0, nullptr},
                                {34, "TQ1_0", 0, 0, nullptr},
                                {35, "TQ2_0", 0, 0, nullptr}};

}  // namespace

const GgufBlock* gguf_block(std::uint32_t type) {
    const auto* const found = std::find_if(std::begin(blocks), std::end(blocks),
                                           [&](const auto& b) { return b.type == type; });
    return found == std::end(blocks) ? nullptr : found;
}

}  // namespace tbt
