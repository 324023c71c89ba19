// Reads the header of a safetensors file. Such a file has a length (8 bytes), a JSON object of that
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
#include <span>
#include <string>

#include "lib/core/tensor.hpp"

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

// Adds the tensors and the metadata of this file to the two maps. Throws Error if the header breaks
// the format, or if a tensor is in `tensors` already: one line with the file, the tensor and what
// was expected.
void read_safetensors_header(const MappedFile& file, std::map<std::string, TensorView>& tensors,
                             std::map<std::string, std::string>& metadata);

// Bytes of one element; 0 for an unknown type.
std::uint64_t element_bytes(const std::string& dtype);

}  // namespace tbt
