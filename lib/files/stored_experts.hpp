// Experts whose weights are together in one tensor, with the matrices in MXFP4 (gpt-oss):
//
//   experts.NAME_blocks  U8  (E, N, K/32, 16)  codes of 32 weights of a row; the low 4 bits first
//   experts.NAME_scales  U8  (E, N, K/32)      s; a weight is value(code) · 2^(s − 127)
//   experts.NAME_bias        (E, N)            floats
//
// The model knows them as experts.3.NAME.weight (N, K) and experts.3.NAME.bias (N).
#pragma once

#include <optional>
#include <string>

#include "lib/core/tensor.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/quantized/block_matrix.hpp"

namespace tbt {

// Where an expert's weight is in the file.
struct StoredExpert {
    std::string tensor;  // without _blocks, _scales and _bias
    std::int64_t expert = 0;
    bool bias = false;
};
// None if this is not the name of an expert's weight.
std::optional<StoredExpert> stored_expert(const std::string& weight);

// The name of the first expert's weight in this tensor: experts.0.NAME.weight for NAME_blocks and
// NAME_scales, experts.0.NAME.bias for NAME_bias; other names stay.
std::string first_expert(const std::string& tensor);

// Throws Error with the tensor's name unless the file has this weight.
void check_expert(const Safetensors& file, const StoredExpert& e, const Shape& shape);
// The rows of a matrix in MXFP4, in the order of a GGUF file's blocks: a copy. None for a bias.
std::optional<BlockRows> expert_blocks(const Safetensors& file, const StoredExpert& e,
                                       const Shape& shape);
// The weight as floats. Throws Error, too, if it is not finite.
Tensor read_expert(const Safetensors& file, const StoredExpert& e, const Shape& shape);

}  // namespace tbt
