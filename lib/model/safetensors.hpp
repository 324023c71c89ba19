// The safetensors format: a length (8 bytes), a JSON header of that length,
// then the numbers of all tensors.
//
//     {"wte.weight": {"dtype": "F32", "shape": [97, 64], "data_offsets": [0, 24832]}, …}
//
// A file is mapped into memory and its header checked completely before anything is read:
// the tensors must lie side by side from the first byte of data to the last.
// Whoever wrote the file, no number outside it is ever touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/kernels/tensor.hpp"

namespace tbt {

class MappedFile;

// How a float is stored in a file.
enum class StoredType { f32, f16, bf16 };

// A tensor inside a mapped file.
struct TensorView {
    std::string
        dtype;  // "F32", "F16", "BF16"; "I64", "BOOL" and others may be there but can't be read
    Shape shape;
    std::span<const std::byte> bytes;  // little-endian, row-major, at any alignment
    std::string file;                  // for messages
};

class Safetensors {
public:
    // Throws Error, one line with the file, the tensor and what was expected,
    // on every header that breaks the format.
    static Safetensors open(const std::string& path);
    // model.safetensors, or all the files that model.safetensors.index.json names.
    static Safetensors open_directory(const std::string& directory);

    const std::map<std::string, TensorView>& tensors() const { return tensors_; }
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    const TensorView* find(const std::string& name) const;  // null where there is none

    // The tensor as floats. Throws Error when it is missing, has another shape,
    // or is not of floats.
    Tensor read(const std::string& name, const Shape& shape) const;
    // The same for the names of the hub, with the prefix "transformer." or without.
    Tensor read_weight(const std::string& name, const Shape& shape) const;
    // Throws the errors of read_weight that the header gives away already; reads nothing.
    void check_weight(const std::string& name, const Shape& shape) const;

private:
    void add_file(const std::string& path);
    const TensorView& expect(const std::string& name, const Shape& shape) const;
    std::string on_file(const std::string& name) const;
    void add_shards(const std::string& index_path, const std::string& directory);

    std::string name_;  // the file or directory, for messages
    std::vector<std::shared_ptr<const MappedFile>> files_;
    std::map<std::string, TensorView> tensors_;
    std::map<std::string, std::string> metadata_;
};

// Widens to float, exactly. `values` has one element for each of the tensor's.
void widen(const TensorView& view, const std::string& name, std::span<float> values);

struct TensorToWrite {
    std::string name;
    Shape shape;
    std::span<const float> values;
    StoredType type = StoredType::f32;
    // Instead of values, where memory for all of them is not wanted:
    // gives numbers first … first + values.size() − 1.
    std::function<void(std::int64_t first, std::span<float> values)> fill = {};
};

// Writes a file, atomically. 16-bit types are rounded to the nearest, ties to even;
// a finite number that is too large for f16 is an Error, not infinity.
void write_safetensors(const std::string& path, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

}  // namespace tbt
