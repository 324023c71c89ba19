// The header of a GGUF file, the format of llama.cpp: one file with everything that a model
// consists of.
//
//     "GGUF", version 3, how many tensors, how many values
//     values:   key, type, value      general.architecture = "llama", llama.block_count = 16, …
//     tensors:  name, dimensions, type, where its numbers begin
//     numbers:  each tensor from a multiple of 32 bytes on (general.alignment)
//
// [https://github.com/ggml-org/ggml/blob/master/docs/gguf.md] All of it is checked before anything
// is read: whoever wrote the file, no byte outside it is touched.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/kernels/tensor.hpp"

namespace tbt {

class MappedFile;

enum class GgufType : std::uint32_t { f32 = 0, f16 = 1, q4_0 = 2, q8_0 = 8, bf16 = 30 };

// Numbers in a block of a tensor's last dimension, and the block's bytes: 32 numbers of 8 or 4 bits
// share a scale of 16 bits. Zeros for a type that is not read here.
struct GgufBlock {
    std::int64_t numbers, bytes;
};
GgufBlock gguf_block(GgufType type);

struct GgufHeader {
    // Texts lie in the mapped file.
    using Value = std::variant<std::int64_t, double, bool, std::string_view, std::vector<double>,
                               std::vector<std::string_view>>;
    struct TensorEntry {
        GgufType type = GgufType::f32;
        Shape shape;  // the slowest dimension first, as everywhere here; the file has it last
        std::span<const std::byte> bytes;
    };
    std::map<std::string, Value, std::less<>> values;
    std::map<std::string, TensorEntry, std::less<>> tensors;
};

// Throws Error, one line with the file, the key or tensor and what was expected, on every header
// that breaks the format, and on types of tensors that are not read here.
GgufHeader read_gguf_header(const MappedFile& file);

}  // namespace tbt
