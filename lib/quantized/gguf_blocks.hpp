// The types of numbers in GGUF files. A tensor of a quantised type consists of blocks along its
// last
// dimension: 32 or 256 numbers of a few bits with their scales. [ggml, ggml-quants.c]
#pragma once

#include <cstddef>
#include <cstdint>

namespace tbt {

struct GgufBlock {
    std::uint32_t type;  // the number of the type in the format
    const char* name;
    std::int64_t numbers, bytes;  // of a block; an unquantised type has blocks of one number
    // Converts a block to floats, with the bits that llama.cpp computes. Null for a type that this
    // library does not read.
    void (*widen)(const std::byte* block, float* to);
    int bits = 0;  // about as many for a number; 0: not quantised
};

// The type with this number; null if the format has none.
const GgufBlock* gguf_block(std::uint32_t type);

}  // namespace tbt
