// What the engine reads of safetensors (lib/core/safetensors.hpp): weights of 8 and 4 bits, too,
// and views that are packed without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/safetensors.hpp"
#include "lib/core/tensor.hpp"
#include "lib/kernels/packed_matrix.hpp"
#include "lib/quantized/integer_matrix.hpp"

namespace tbt {

struct BlockRows;
struct StoredExpert;

// The name of a weight on the hub, given its name in a file: without GPT-2's "transformer.", or
// what models that read pictures put before the weights of their text model.
std::string weight_name(const std::string& stored);

// A file, or the shards of a model, mapped into memory.
class Safetensors {
public:
    static Safetensors open(const std::string& path) {
        return {path, StoredWeights::open_file(path)};
    }
    static Safetensors open_directory(const std::string& directory) {
        return {directory, StoredWeights::open(directory)};
    }

    const std::map<std::string, StoredTensor>& tensors() const { return stored_.tensors(); }
    const std::map<std::string, std::string>& metadata() const { return stored_.metadata(); }
    // A hash of the names and bytes of all tensors, as hexadecimal digits.
    std::string hash() const;
    const StoredTensor* find(const std::string& name) const;    // null if there is no such tensor
    const StoredTensor& expect(const std::string& name) const;  // throws Error if there is none
    // Throws Error if there is no such tensor, or if it has another shape.
    const StoredTensor& expect(const std::string& name, const Shape& shape) const;

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
    // The rows of an expert's matrix in MXFP4 (stored_experts.hpp); none for other weights.
    std::optional<BlockRows> stored_blocks(const std::string& name, const Shape& shape) const;
    // The same for a matrix stored in 4 bits; none if it is stored in another way.
    std::optional<Int4Codes> stored_int4(const std::string& name, const Shape& shape) const;
    // The same for a matrix stored in 8 bits, or an embedding, transposed.
    std::optional<Int8Codes> stored_int8(const std::string& name, const Shape& shape) const;
    // The file with a weight. While the pointer is kept, the views of stored_weight() stay valid.
    std::shared_ptr<const MappedFile> file_of(const std::string& name) const;
    // Tells the system that the weight's pages are not needed in memory any more.
    void forget_weight(const std::string& name) const;
    // Throws those errors of read_weight() that the header shows already; reads no numbers.
    void check_weight(const std::string& name, const Shape& shape) const;

private:
    Safetensors(std::string name, StoredWeights stored)
        : name_(std::move(name)), stored_(std::move(stored)) {}
    // The name in the file of a weight with this name on the hub.
    std::string on_file(const std::string& name) const;
    std::optional<StoredExpert> with_other_experts(const std::string& name) const;
    bool in_4_bits(const std::string& name) const;
    void forget(const StoredTensor& view) const;

    std::string name_;  // the file or directory, for messages
    StoredWeights stored_;
};

}  // namespace tbt
