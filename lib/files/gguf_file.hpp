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
#include "lib/quantized/gguf_blocks.hpp"

namespace tbt {

class MappedFile;

struct GgufHeader {
    // The string_views point into the mapped file.
    using Value = std::variant<std::int64_t, double, bool, std::string_view, std::vector<double>,
                               std::vector<std::string_view>>;
    struct TensorEntry {
        const GgufBlock* block = nullptr;  // the type of the numbers
        Shape shape;  // row-major, as everywhere here; the file has the dimensions in reverse order
        std::span<const std::byte> bytes;
    };
    std::map<std::string, Value, std::less<>> values;
    std::map<std::string, TensorEntry, std::less<>> tensors;
};

// The file, mapped into memory: its values by key and its tensors by name. If it is one of several
// parts ("model-00001-of-00003.gguf"), all parts are opened.
class GgufFile {
public:
    using Value = GgufHeader::Value;
    using TensorEntry = GgufHeader::TensorEntry;

    // Throws Error if the file cannot be read, breaks the format or has a tensor of a type that
    // this
    // library does not read, or if a part is missing: one line with the file, the key or tensor,
    // and
    // what was expected.
    explicit GgufFile(const std::string& path);

    const std::string& path() const { return files_[0]->path(); }
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
    // The files; while they are kept, the bytes of the tensors stay valid.
    std::vector<std::shared_ptr<const void>> owners() const {
        return {files_.begin(), files_.end()};
    }
    // Tells the system that the tensor's pages are not needed in memory any more.
    void forget(const TensorEntry& entry) const;
    // The bytes that the tensors take in memory if each is kept in its own type.
    std::int64_t bytes_in_memory() const;
    // The tensor as floats, exactly: every type is widened (gguf_blocks.hpp). Throws the errors of
    // expect(), and for a NaN or infinite weight.
    Tensor read(const std::string& name, const Shape& shape) const;

    // Throws Error "PATH: WHAT".
    [[noreturn]] void fail(const std::string& what) const;

private:
    void add_parts(const std::string& path, std::int64_t count);

    std::vector<std::shared_ptr<const MappedFile>> files_;
    GgufHeader header_;
};

}  // namespace tbt
