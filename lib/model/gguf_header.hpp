// The header of a GGUF file. GGUF is the format of llama.cpp: one file has the weights, sizes and
// tokenizer of a model.
//
//     "GGUF", version 3, the number of tensors, the number of values
//     values:   key, type, value      general.architecture = "llama", llama.block_count = 16, …
//     tensors:  name, dimensions, type, offset of its numbers
//     numbers:  each tensor begins at a multiple of 32 bytes (general.alignment)
//
// [https://github.com/ggml-org/ggml/blob/master/docs/gguf.md] The whole header is checked before
// any number is read, so that even a malicious file cannot make us read outside of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/core/tensor.hpp"

namespace tbt {

class MappedFile;

enum class GgufType : std::uint32_t { f32 = 0, f16 = 1, q4_0 = 2, q8_0 = 8, bf16 = 30 };

// Quantised types store a tensor in blocks along its last dimension: 32 numbers of 8 or 4 bits with
// one 16-bit scale. GgufBlock has the numbers in a block and its bytes; for unquantised types a
// block is one number. Both are 0 for a type that this library does not support.
struct GgufBlock {
    std::int64_t numbers, bytes;
};
GgufBlock gguf_block(GgufType type);

struct GgufHeader {
    // The string_views point into the mapped file.
    using Value = std::variant<std::int64_t, double, bool, std::string_view, std::vector<double>,
                               std::vector<std::string_view>>;
    struct TensorEntry {
        GgufType type = GgufType::f32;
        Shape shape;  // row-major, as everywhere here; the file has the dimensions in reverse order
        std::span<const std::byte> bytes;
    };
    std::map<std::string, Value, std::less<>> values;
    std::map<std::string, TensorEntry, std::less<>> tensors;
};

// Throws Error if the header breaks the format or if a tensor has a type that this library does not
// support: one line with the file, the key or tensor, and what was expected.
GgufHeader read_gguf_header(const MappedFile& file);

}  // namespace tbt
