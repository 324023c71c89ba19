// Model files in the safetensors format (safetensors_header.hpp says what that is).
// A file is mapped into memory and its header checked completely before anything is read;
// whoever wrote the file, no number outside it is ever touched.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/kernels/packed_matrix.hpp"
#include "lib/kernels/tensor.hpp"
#include "lib/model/safetensors_header.hpp"

namespace tbt {

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
    // Throws Error where there is none, or of another shape.
    const TensorView& expect(const std::string& name, const Shape& shape) const;

    // The tensor as floats. Throws Error when it is missing, has another shape,
    // or is not of floats.
    Tensor read(const std::string& name, const Shape& shape) const;
    // The same for the names of the hub, with the prefix "transformer." or without, and for weights
    // stored in 8 or 4 bits (int8_file.hpp, int4_file.hpp), which are restored.
    // Throws Error for a weight that is NaN or infinite, too.
    Tensor read_weight(const std::string& name, const Shape& shape) const;
    // Where a matrix lies in the file, to be packed as it is; none for what must be restored or
    // lies at an odd address, which is for read_weight. The same errors, but for numbers that are
    // not finite: whoever packs them sees them, and read_weight says which one it is.
    std::optional<StoredView> stored_weight(const std::string& name, const Shape& shape) const;
    // The same for a matrix in 4 bits; none for one that is stored in another way.
    std::optional<Int4Codes> stored_int4(const std::string& name, const Shape& shape) const;
    // And for one in 8 bits with a scale for each column.
    std::optional<Int8Codes> stored_int8(const std::string& name, const Shape& shape) const;
    // The file that a weight lies in: while it is held, what stored_weight says stays where it is.
    std::shared_ptr<const MappedFile> file_of(const std::string& name) const;
    // Its pages are not needed in memory any more.
    void forget_weight(const std::string& name) const;
    // Throws the errors of read_weight that the header gives away already; reads nothing.
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

// Widens to float, exactly. `values` has one element for each of the tensor's.
void widen(const TensorView& view, const std::string& name, std::span<float> values);

}  // namespace tbt
