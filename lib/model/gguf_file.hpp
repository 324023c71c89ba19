// A GGUF file (gguf_header.hpp describes the format), mapped into memory: its values by key and its
// tensors by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/machine/files.hpp"
#include "lib/model/gguf_header.hpp"

namespace tbt {

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
