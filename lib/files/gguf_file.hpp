// GGUF files. GGUF is the format of llama.cpp: one file has the weights, sizes and
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
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/machine/files.hpp"

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

// The file, mapped into memory: its values by key and its tensors by name.
class GgufFile {
public:
    using Value = GgufHeader::Value;
    using TensorEntry = GgufHeader::TensorEntry;

    // Throws Error if the file cannot be read or breaks the format: one line with the file, the key
    // or tensor, and what was expected.
    explicit GgufFile(const std::string& path);

    const std::string& path() const { return file_->path(); }
    const std::map<std::string, TensorEntry, std::less<>>& tensors() const {
        return header_.tensors;
    }
    const Value* find(std::string_view key) const;  // null if the file has no such key
    // The value, or `otherwise` if the file has no such key. Throws Error for another type.
    std::string text_or(std::string_view key, std::string_view otherwise) const;
    bool flag_or(std::string_view key, bool otherwise) const;
    std::int64_t integer_or(std::string_view key, std::int64_t otherwise) const;
    // Arrays. For a missing key, texts() throws Error and numbers() returns an empty vector.
    const std::vector<std::string_view>& texts(std::string_view key) const;
    std::vector<double> numbers(std::string_view key) const;

    // Throws Error if the file has no such tensor, or if it has another shape.
    const TensorEntry& expect(const std::string& name, const Shape& shape) const;
    // The tensor as floats, exactly: 16-bit numbers are widened, blocks of 8 or 4 bits are
    // multiplied by their scales. Throws the errors of expect(), and for a NaN or infinite weight.
    Tensor read(const std::string& name, const Shape& shape) const;

    // Throws Error "PATH: WHAT".
    [[noreturn]] void fail(const std::string& what) const;

private:
    std::shared_ptr<const MappedFile> file_;
    GgufHeader header_;
};

}  // namespace tbt
