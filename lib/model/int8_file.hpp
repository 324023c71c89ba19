// Weights of 8 bits in a safetensors file: a tensor NAME of I8, −127 … 127, and beside it
// NAME_scale of F32: one scale for each column of a matrix (K, N), for each row of an embedding
// (ids, C). A weight is scale · q.
//
// For int8 they are packed as they are: a model read from such a file computes what it would have
// computed if it had been rounded when it was loaded. For every other type they are restored.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/kernels/tensor.hpp"
#include "lib/model/safetensors_header.hpp"

namespace tbt {

inline constexpr std::string_view int8_dtype = "I8";
// What config.json calls this, so that others do not take whole numbers for weights.
inline constexpr std::string_view int8_method = "int8-columns";

std::string scale_name(const std::string& weight);

// How many scales a weight of this shape has. Throws Error for what is no matrix.
std::int64_t scale_count(const std::string& weight, const Shape& shape);

// The numbers of a tensor of I8, as they lie there. Throws Error, one line with the tensor, for a q
// of −128 and for a scale that is negative or no number.
std::span<const std::int8_t> read_int8(const TensorView& view, const std::string& weight,
                                       const Tensor& scales);

// Whether a scale belongs to a row, as in an embedding, and not to a column.
bool scaled_by_rows(const std::string& weight);

// values = scale · q. Throws the same errors.
void restore_int8(const TensorView& view, const std::string& weight, const Tensor& scales,
                  std::span<float> values);

}  // namespace tbt
