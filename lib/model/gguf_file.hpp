// A GGUF file (gguf_header.hpp says what that is), mapped into memory: its values by key, its
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

    // Throws Error, one line with the file, the key or tensor and what was expected.
    explicit GgufFile(const std::string& path);

    const std::string& path() const { return file_->path(); }
    const std::map<std::string, TensorEntry, std::less<>>& tensors() const {
        return header_.tensors;
    }
    const Value* find(std::string_view key) const;  // null where there is none
    // The value, or `otherwise` where there is none. Throws Error for one of another type.
    std::string text_or(std::string_view key, std::string_view otherwise) const;
    bool flag_or(std::string_view key, bool otherwise) const;
    std::int64_t integer_or(std::string_view key, std::int64_t otherwise) const;
    const std::vector<std::string_view>& texts(std::string_view key) const;  // none: throws, too
    std::vector<double> numbers(std::string_view key) const;                 // none: empty

    // Throws Error where there is no such tensor, or one of another shape.
    const TensorEntry& expect(const std::string& name, const Shape& shape) const;
    // The tensor as floats: 16 bits widened, blocks of 8 and 4 bits multiplied out, all exactly.
    // Throws Error for a weight that is NaN or infinite, too.
    Tensor read(const std::string& name, const Shape& shape) const;

    [[noreturn]] void fail(const std::string& what) const;

private:
    std::shared_ptr<const MappedFile> file_;
    GgufHeader header_;
};

}  // namespace tbt
