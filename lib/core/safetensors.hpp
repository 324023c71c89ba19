// Reads weights from files in the safetensors format: a length (8 bytes), a JSON object of that
// many bytes, then the numbers of all tensors.
//
//     {"wte.weight": {"dtype": "F32", "shape": [97, 64], "data_offsets": [0, 24832]}, …}
//
// data_offsets are the first byte and the end of the tensor's numbers, counted from the end of the
// JSON object. The tensors must fill the data without gaps or overlaps. A file is mapped into
// memory, and its whole header is checked before any number is read, so that even a malicious file
// cannot make us read outside of it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/core/files.hpp"
#include "lib/core/tensor.hpp"

namespace tbt {

// A tensor inside a mapped file. "F32", "F16" and "BF16" can be read; "I64", "BOOL" and others may
// be in a file.
struct StoredTensor {
    std::string dtype;
    Shape shape;
    std::span<const std::byte> bytes;  // little-endian, row-major, at any alignment
    std::string file;                  // for messages
};

class StoredWeights {
public:
    // Opens DIRECTORY/model.safetensors, or all files that model.safetensors.index.json names.
    // Throws Error if a header breaks the format: one line with the file, the tensor and what was
    // expected.
    static StoredWeights open(const std::string& directory);
    static StoredWeights open_file(const std::string& path);

    const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    const std::vector<std::shared_ptr<const MappedFile>>& files() const { return files_; }
    // A weight by its name on the hub; in the file it may have the prefix "transformer.". Null if
    // there is none.
    const StoredTensor* find(const std::string& name) const;
    // Throws Error if there is no such weight, or if it has another shape.
    const StoredTensor& expect(const std::string& name, const Shape& shape) const;
    // The weight as floats. Throws Error if one of its numbers is NaN or infinite, too.
    Tensor read(const std::string& name, const Shape& shape) const;

private:
    void add_file(const std::string& path);
    void add_shards(const std::string& index_path);

    std::string directory_;  // or the file, for messages
    std::vector<std::shared_ptr<const MappedFile>> files_;
    std::map<std::string, StoredTensor> tensors_;
    std::map<std::string, std::string> metadata_;
};

// Converts the numbers from `begin` on to floats, exactly. Throws Error unless the type is F32, F16
// or BF16 and there are so many numbers.
void widen(const StoredTensor& tensor, std::int64_t begin, std::span<float> values);

}  // namespace tbt
