// Weights of 8 bits in a safetensors file (our own format): a tensor NAME of type I8 with values q
// in −127 … 127, and a tensor NAME_scale of type F32. There is one scale for each column of a
// matrix (K, N), or for each row of an embedding (ids, C). A weight is scale · q.
//
// A model with int8 weights uses the codes as they are. So it computes exactly what it would
// compute if the float weights were quantised when loading. For every other type the weights are
// restored to floats first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/core/tensor.hpp"
#include "lib/model/safetensors_header.hpp"

namespace tbt {

inline constexpr std::string_view int8_dtype = "I8";
// The name of this format in config.json, so that other programs do not take the integers for the
// weights.
inline constexpr std::string_view int8_method = "int8-columns";

std::string scale_name(const std::string& weight);

// How many scales a weight of this shape has. Throws Error if the shape is not a matrix.
std::int64_t scale_count(const std::string& weight, const Shape& shape);

// The codes q of a tensor, in the mapped file. Throws Error with the tensor's name if a q is −128
// or a scale is negative or not finite.
std::span<const std::int8_t> read_int8(const TensorView& view, const std::string& weight,
                                       const Tensor& scales);

// True if each row has a scale (an embedding), false if each column has one.
bool scaled_by_rows(const std::string& weight);

// values = scale · q. Throws the same errors.
void restore_int8(const TensorView& view, const std::string& weight, const Tensor& scales,
                  std::span<float> values);

}  // namespace tbt
