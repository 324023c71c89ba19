// Reads model files in the safetensors format. Such a file has a length (8 bytes), a JSON object of
// that
// many bytes, then the numbers of all tensors.
//
//     {"wte.weight": {"dtype": "F32", "shape": [97, 64], "data_offsets": [0, 24832]}, …}
//
// data_offsets are the first byte and the end of the tensor's numbers, counted from the end of the
// JSON object. The tensors must fill the data without gaps or overlaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/kernels/packed_matrix.hpp"
#include "lib/quantized/integer_matrix.hpp"

namespace tbt {

class MappedFile;

// A tensor inside a mapped file.
struct TensorView {
    // "F32", "F16", "BF16", …; tensors of "I64", "BOOL" and others may be in a file but can't be
    // read.
    std::string dtype;
    Shape shape;
    std::span<const std::byte> bytes;  // little-endian, row-major, at any alignment
    std::string file;                  // for messages
};

// A file, or the shards of a model, mapped into memory. The whole header is checked before any
// number
// is read, so that even a malicious file cannot make us read outside of it.
class Safetensors {
public:
    // Throws Error if the header breaks the format: one line with the file, the tensor and what was
    // expected.
    static Safetensors open(const std::string& path);
    // Opens model.safetensors, or all files that model.safetensors.index.json names.
    static Safetensors open_directory(const std::string& directory);

    const std::map<std::string, TensorView>& tensors() const { return tensors_; }
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    // A hash of the names and bytes of all tensors, as hexadecimal digits.
    std::string hash() const;
    const TensorView* find(const std::string& name) const;  // null if there is no such tensor
    // Throws Error if there is no such tensor, or if it has another shape.
    const TensorView& expect(const std::string& name, const Shape& shape) const;

    // The tensor as floats. Throws Error if it is missing, has another shape, or its numbers are
    // not floats.
    Tensor read(const std::string& name, const Shape& shape) const;
    // As read(), for a weight by its name on the hub; in the file the name may have the prefix
    // "transformer.". Weights of 8 or 4 bits (stored_integers.hpp) are restored to floats.
    // Also throws Error for a weight that is NaN or infinite.
    Tensor read_weight(const std::string& name, const Shape& shape) const;
    // A view of a matrix in the mapped file, to be packed without a copy. None if the matrix must
    // be restored first or is not aligned; then use read_weight(). Throws the errors of
    // read_weight(), but does not look for numbers that are not finite: packing finds them, and
    // read_weight() then says which one it is.
    std::optional<StoredView> stored_weight(const std::string& name, const Shape& shape) const;
    // The same for a matrix stored in 4 bits; none if it is stored in another way.
    std::optional<Int4Codes> stored_int4(const std::string& name, const Shape& shape) const;
    // The same for a matrix stored in 8 bits with a scale for each column.
    std::optional<Int8Codes> stored_int8(const std::string& name, const Shape& shape) const;
    // The file with a weight. While the pointer is kept, the views of stored_weight() stay valid.
    std::shared_ptr<const MappedFile> file_of(const std::string& name) const;
    // Tells the system that the weight's pages are not needed in memory any more.
    void forget_weight(const std::string& name) const;
    // Throws those errors of read_weight() that the header shows already; reads no numbers.
    void check_weight(const std::string& name, const Shape& shape) const;

private:
    void add_file(const std::string& path);
    bool in_4_bits(const std::string& name) const;
    void forget(const TensorView& view) const;
    std::string on_file(const std::string& name) const;
    void add_shards(const std::string& index_path, const std::string& directory);

    std::string name_;  // the file or directory, for messages
    std::vector<std::shared_ptr<const MappedFile>> files_;
    std::map<std::string, TensorView> tensors_;
    std::map<std::string, std::string> metadata_;
};

// Converts a tensor to floats, exactly. `values` must have as many elements as the tensor.
void widen(const TensorView& view, const std::string& name, std::span<float> values);

}  // namespace tbt
