#include "lib/quantized/gguf_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "lib/core/math.hpp"

namespace tbt {

namespace {

std::uint8_t byte_at(const std::byte* p, int i) { return std::to_integer<std::uint8_t>(p[i]); }
int low(const std::byte* p, int i) { return byte_at(p, i) & 15; }
int high(const std::byte* p, int i) { return byte_at(p, i) >> 4; }
std::uint8_t to_byte(int n) { return static_cast<std::uint8_t>(n); }
std::uint16_t u16_at(const std::byte* p) {
    std::uint16_t n;
    std::memcpy(&n, p, sizeof n);
    return n;
}
float half_at(const std::byte* p) { return from_f16(u16_at(p)); }
float number(int q) { return static_cast<float>(q); }

// ---- one number ---------------------------------------------------------------------------------
float f32_at(const std::byte* p) {
    float n;
    std::memcpy(&n, p, sizeof n);
    return n;
}
float bf16_at(const std::byte* p) { return from_bf16(u16_at(p)); }

// ---- blocks of 32: a scale d, sometimes a minimum m, then the numbers ---------------------------
// With 4 bits, byte i of 16 has number i in its low and number i + 16 in its high half.
void take_halves(const std::byte* b, std::uint8_t* codes) {
    for (int i = 0; i < 16; ++i) codes[i] = byte_at(b, i) & 15;
    for (int i = 0; i < 16; ++i) codes[i + 16] = byte_at(b, i) >> 4;
}

// The fifth bit of number i is bit i of four bytes.
void add_fifths(const std::byte* bits, std::uint8_t* codes) {
    std::uint32_t all;
    std::memcpy(&all, bits, sizeof all);
    for (int i = 0; i < 32; ++i) codes[i] |= to_byte(static_cast<int>(all >> i & 1) << 4);
}

// One scale for the block, and `minimum` where it has one.
void set_scale(BlockParts& p, float d, float minimum = 0) {
    p.d = d, p.m = -minimum, p.scales[0] = p.minima[0] = 1;
}

void take_q4_0(const std::byte* b, BlockParts& p) {
    set_scale(p, half_at(b));
    take_halves(b + 2, p.codes);
}

void take_q4_1(const std::byte* b, BlockParts& p) {
    set_scale(p, half_at(b), half_at(b + 2));
    take_halves(b + 4, p.codes);
}

void take_q5_0(const std::byte* b, BlockParts& p) {
    set_scale(p, half_at(b));
    take_halves(b + 6, p.codes);
    add_fifths(b + 2, p.codes);
}

void take_q5_1(const std::byte* b, BlockParts& p) {
    set_scale(p, half_at(b), half_at(b + 2));
    take_halves(b + 8, p.codes);
    add_fifths(b + 4, p.codes);
}

void take_q8_0(const std::byte* b, BlockParts& p) {
    set_scale(p, half_at(b));
    for (int i = 0; i < 32; ++i) p.codes[i] = byte_at(b + 2, i) ^ 0x80;  // + 128, unsigned
}

// Codes for numbers that are not evenly spaced, and 127 or 12 more than them.
constexpr std::uint8_t normal_values[] = {0,   23,  44,  62,  78,  92,  105, 117,
                                          128, 140, 152, 165, 180, 196, 216, 240};
constexpr std::uint8_t twice_e2m1[] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};

// The scale is a power of two: half of it here, since the table has twice the values.
void take_mxfp4(const std::byte* b, BlockParts& p) {
    const auto exponent = static_cast<std::uint32_t>(byte_at(b, 0));
    set_scale(p, std::bit_cast<float>(exponent < 2 ? 0x200000u << exponent : (exponent - 1) << 23));
    take_halves(b + 1, p.codes);
}

// ---- blocks of 256: groups of 16 or 32, whose scales are small integers -------------------------
// Numbers of 2 bits: byte i of each 32 has numbers i, i + 32, i + 64 and i + 96 of 128.
void take_quarters(const std::byte* q, std::uint8_t* codes) {
    for (int part = 0; part < 8; ++part)
        for (int i = 0; i < 32; ++i)
            codes[part * 32 + i] = byte_at(q, part / 4 * 32 + i) >> part % 4 * 2 & 3;
}

void take_q2_k(const std::byte* b, BlockParts& p) {
    p.d = half_at(b + 80), p.m = half_at(b + 82);
    for (int g = 0; g < 16; ++g) {
        p.scales[g] = static_cast<std::int8_t>(low(b, g));
        p.minima[g] = to_byte(high(b, g));
    }
    take_quarters(b + 16, p.codes);
}

void take_q3_k(const std::byte* b, BlockParts& p) {
    const std::byte *thirds = b, *scales = b + 96;
    p.d = half_at(b + 108);
    for (int g = 0; g < 16; ++g) {
        const int four = g < 8 ? low(scales, g) : high(scales, g - 8);
        p.scales[g] = static_cast<std::int8_t>(
            (four | (byte_at(scales, 8 + g % 4) >> g / 4 * 2 & 3) << 4) - 32);
    }
    take_quarters(b + 32, p.codes);
    for (int part = 0; part < 8; ++part)
        for (int i = 0; i < 32; ++i)
            p.codes[part * 32 + i] |= to_byte((byte_at(thirds, i) >> part & 1) << 2);
}

// The scales and the minima of eight groups, 6 bits each, packed in 12 bytes.
void take_scales_and_minima(const std::byte* s, BlockParts& p) {
    for (int j = 0; j < 8; ++j) {
        const int scale = j < 4 ? byte_at(s, j) & 63 : low(s, j + 4) | byte_at(s, j - 4) >> 6 << 4;
        const int least = j < 4 ? byte_at(s, j + 4) & 63 : high(s, j + 4) | byte_at(s, j) >> 6 << 4;
        p.scales[j] = static_cast<std::int8_t>(scale);
        p.minima[j] = to_byte(least);
    }
}

// Byte i of each 32 has numbers i and i + 32 of 64.
void take_pairs(const std::byte* q, std::uint8_t* codes) {
    for (int pair = 0; pair < 4; ++pair, q += 32, codes += 64) {
        for (int i = 0; i < 32; ++i) codes[i] = byte_at(q, i) & 15;
        for (int i = 0; i < 32; ++i) codes[32 + i] = byte_at(q, i) >> 4;
    }
}

void take_q4_k(const std::byte* b, BlockParts& p) {
    p.d = half_at(b), p.m = half_at(b + 2);
    take_scales_and_minima(b + 4, p);
    take_pairs(b + 16, p.codes);
}

void take_q5_k(const std::byte* b, BlockParts& p) {
    const std::byte* fifths = b + 16;
    p.d = half_at(b), p.m = half_at(b + 2);
    take_scales_and_minima(b + 4, p);
    take_pairs(b + 48, p.codes);
    for (int part = 0; part < 8; ++part)
        for (int i = 0; i < 32; ++i)
            p.codes[part * 32 + i] |= to_byte((byte_at(fifths, i) >> part & 1) << 4);
}

void take_q6_k(const std::byte* b, BlockParts& p) {
    p.d = half_at(b + 208);
    std::memcpy(p.scales, b + 192, 16);
    for (int quarter = 0; quarter < 8; ++quarter) {
        const int part = quarter / 4, of_part = quarter % 4;
        const std::byte *four = b + part * 64 + of_part % 2 * 32, *two = b + 128 + part * 32;
        for (int i = 0; i < 32; ++i)
            p.codes[quarter * 32 + i] = to_byte((byte_at(four, i) >> of_part / 2 * 4 & 15) |
                                                (byte_at(two, i) >> of_part * 2 & 3) << 4);
    }
}

void take_iq4_xs(const std::byte* b, BlockParts& p) {
    const int high_bits = u16_at(b + 2);
    p.d = half_at(b);
    for (int j = 0; j < 8; ++j) {
        const int four = byte_at(b, 4 + j / 2) >> j % 2 * 4 & 15;
        p.scales[j] = static_cast<std::int8_t>((four | (high_bits >> 2 * j & 3) << 4) - 32);
        take_halves(b + 8 + j * 16, p.codes + j * 32);
    }
}

constexpr GgufBlock blocks[] = {
    {0, "F32", 1, 4, f32_at, nullptr},
    {1, "F16", 1, 2, half_at, nullptr},
    {30, "BF16", 1, 2, bf16_at, nullptr},
    {2, "Q4_0", 32, 18, nullptr, take_q4_0, 4, 32, 8},
    {3, "Q4_1", 32, 20, nullptr, take_q4_1, 4, 32, 0, true},
    {6, "Q5_0", 32, 22, nullptr, take_q5_0, 8, 32, 16},
    {7, "Q5_1", 32, 24, nullptr, take_q5_1, 8, 32, 0, true},
    {8, "Q8_0", 32, 34, nullptr, take_q8_0, 8, 32, 128},
    {10, "Q2_K", 256, 84, nullptr, take_q2_k, 4, 16, 0, true},
    {11, "Q3_K", 256, 110, nullptr, take_q3_k, 4, 16, 4},
    {12, "Q4_K", 256, 144, nullptr, take_q4_k, 4, 32, 0, true},
    {13, "Q5_K", 256, 176, nullptr, take_q5_k, 8, 32, 0, true},
    {14, "Q6_K", 256, 210, nullptr, take_q6_k, 8, 16, 32},
    {20, "IQ4_NL", 32, 18, nullptr, take_q4_0, 4, 32, 127, false, normal_values},
    {23, "IQ4_XS", 256, 136, nullptr, take_iq4_xs, 4, 32, 127, false, normal_values},
    {mxfp4_type, "MXFP4", 32, 17, nullptr, take_mxfp4, 4, 32, 12, false, twice_e2m1},
    {9, "Q8_1", 0, 0, nullptr, nullptr},
    {15, "Q8_K", 0, 0, nullptr, nullptr},
    {16, "IQ2_XXS", 0, 0, nullptr, nullptr},
    {17, "IQ2_XS", 0, 0, nullptr, nullptr},
    {18, "IQ3_XXS", 0, 0, nullptr, nullptr},
    {19, "IQ1_S", 0, 0, nullptr, nullptr},
    {21, "IQ3_S", 0, 0, nullptr, nullptr},
    {22, "IQ2_S", 0, 0, nullptr, nullptr},
    {24, "I8", 0, 0, nullptr, nullptr},
    {25, "I16", 0, 0, nullptr, nullptr},
    {26, "I32", 0, 0, nullptr, nullptr},
    {27, "I64", 0, 0, nullptr, nullptr},
    {28, "F64", 0, 0, nullptr, nullptr},
    {29, "IQ1_M", 0, 0, nullptr, nullptr},
    {31, "Q4_0_4_4", 0, 0, nullptr, nullptr},
    {32, "Q4_0_4_8", 0, 0, nullptr, nullptr},
    {33, "Q4_0_8_8", 0, 0, nullptr, nullptr},
    {34, "TQ1_0", 0, 0, nullptr, nullptr},
    {35, "TQ2_0", 0, 0, nullptr, nullptr},
    {36, "IQ4_NL_4_4", 0, 0, nullptr, nullptr},
    {37, "IQ4_NL_4_8", 0, 0, nullptr, nullptr},
    {38, "IQ4_NL_8_8", 0, 0, nullptr, nullptr},
    {40, "NVFP4", 0, 0, nullptr, nullptr},
    {41, "Q1_0", 0, 0, nullptr, nullptr},
    {42, "Q2_0", 0, 0, nullptr, nullptr}};

}  // namespace

void GgufBlock::widen(const std::byte* block, float* to) const {
    if (one) {
        *to = one(block);
        return;
    }
    BlockParts p;
    take_apart(block, p);
    for (std::int64_t g = 0; g < numbers / group; ++g) {
        const float scale = p.d * number(p.scales[g]),
                    least = has_minima ? p.m * number(p.minima[g]) : 0.0f;
        for (std::int64_t i = g * group; i < (g + 1) * group; ++i) {
            const int value = values ? values[p.codes[i]] : p.codes[i];
            to[i] = scale * number(value - offset) - least;
        }
    }
}

const GgufBlock* gguf_block(std::uint32_t type) {
    const auto* const found = std::find_if(std::begin(blocks), std::end(blocks),
                                           [&](const auto& b) { return b.type == type; });
    return found == std::end(blocks) ? nullptr : found;
}

}  // namespace tbt
