// The header of a safetensors file: a length (8 bytes), a JSON object of that length,
// then the numbers of all tensors.
//
//     {"wte.weight": {"dtype": "F32", "shape": [97, 64], "data_offsets": [0, 24832]}, …}
//
// The tensors must lie side by side from the first byte of data to the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "lib/kernels/tensor.hpp"

namespace tbt {

class MappedFile;

// A tensor inside a mapped file.
struct TensorView {
    // "F32", "F16", "BF16"; "I64", "BOOL" and others may be there but can't be read.
    std::string dtype;
    Shape shape;
    std::span<const std::byte> bytes;  // little-endian, row-major, at any alignment
    std::string file;                  // for messages
};

// Adds the tensors and the metadata of this file. Throws Error, one line with the file, the tensor
// and what was expected, on every header that breaks the format, and on a tensor that another file
// had already.
void read_safetensors_header(const MappedFile& file, std::map<std::string, TensorView>& tensors,
                             std::map<std::string, std::string>& metadata);

// Bytes of one element; 0 for an unknown type.
std::uint64_t element_bytes(const std::string& dtype);

}  // namespace tbt
