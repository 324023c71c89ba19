// The types of numbers in GGUF files. A tensor of a quantised type consists of blocks along its
// last dimension: 32 or 256 numbers of a few bits with their scales. [ggml, ggml-quants.c]
#pragma once

#include <cstddef>
#include <cstdint>

namespace tbt {

// A block taken apart. With g = i / group and the type's values and offset, number i is
//
//     d · scales[g] · (values[codes[i]] − offset) − m · minima[g]
struct BlockParts {
    float d = 0, m = 0;
    std::int8_t scales[16];
    std::uint8_t minima[16];
    std::uint8_t codes[256];
};

struct GgufBlock {
    std::uint32_t type;  // the number of the type in the format
    const char* name;
    std::int64_t numbers, bytes;  // of a block; an unquantised type has blocks of one number
    float (*one)(const std::byte* number);                          // of an unquantised type
    void (*take_apart)(const std::byte* block, BlockParts& parts);  // of a quantised type
    // Of a quantised type: the bits of a code in memory, 4 or 8, the numbers with one scale, 16 or
    // 32, and whether there are minima.
    int bits = 0, group = 0, offset = 0;
    bool has_minima = false;
    const std::uint8_t* values = nullptr;  // 16 of them; null: a code is its value

    bool is_known() const { return one || take_apart; }  // false: this library does not read it
    bool is_quantised() const { return take_apart; }
    // The bytes of a block in memory (block_matrix.hpp).
    std::int64_t bytes_in_memory() const {
        if (one) return bytes;
        const std::int64_t groups = numbers / group;
        return numbers * bits / 8 + (groups > 1 ? groups : 0) + (has_minima ? groups + 8 : 4);
    }
    // Converts a block to floats, with the bits that llama.cpp computes.
    void widen(const std::byte* block, float* to) const;
};

inline constexpr std::uint32_t mxfp4_type = 39;

// The type with this number; null if the format has none.
const GgufBlock* gguf_block(std::uint32_t type);

}  // namespace tbt
