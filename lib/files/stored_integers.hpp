// Weights of 8 and of 4 bits in a safetensors file (our own formats).
//
// 8 bits: a tensor NAME of type I8 with values q
// in −127 … 127, and a tensor NAME_scale of type F32. There is one scale for each column of a
// matrix (K, N), or for each row of an embedding (ids, C). A weight is scale · q.
//
// A model with int8 weights uses the codes as they are. So it computes exactly what it would
// compute if the float weights were quantised when loading. For every other type the weights are
// restored to floats first. An embedding is stored so only if it is tied and the matrices have 4
// bits; a model with int4 weights then uses its codes as they are, as the output matrix and as the
// embedding.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/quantized/integer_matrix.hpp"

namespace tbt {

inline constexpr std::string_view int8_dtype = "I8";
// The name of this format in config.json, so that other programs do not take the integers for the
// weights.
inline constexpr std::string_view int8_method = "int8-columns";

std::string scale_name(const std::string& weight);

// How many scales a weight of this shape has. Throws Error if the shape is not a matrix.
std::int64_t scale_count(const std::string& weight, const Shape& shape);

// True if each row has a scale (an embedding), false if each column has one.
bool scaled_by_rows(const std::string& weight);

// The codes q, in the mapped file, and their scales. Throws Error with the tensor's name if one of
// the two is missing or has another shape, if a q is −128, or if a scale is negative or not finite.
Int8Codes read_int8(const Safetensors& file, const std::string& weight, const Shape& shape);

// Computes the weights as floats: values has the shape of the tensor.
void restore_int8(const Int8Codes& codes, std::span<float> values);

// ---- 4 bits -------------------------------------------------------------------------------------
// A matrix NAME (K, N) is stored as three
// tensors:
//
//   NAME_codes        U8  (⌈K/2⌉, N)   byte i of a column: q + 8 of row 2i (low 4 bits), 2i + 1
//   NAME_multipliers  U8  (⌈K/32⌉, N)  m, 0 … 127, one for every 32 rows of a column
//   NAME_units        F32 (N)          S, one for each column
//
// with q in −7 … 7. A weight is S · m · q (integer_matrix.hpp). If K is odd, the unused half of the
// last byte is 8. Quantising such weights again would change them.

inline constexpr std::string_view int4_dtype = "U8";
// The name of this format in config.json (quantization_config.quant_method).
inline constexpr std::string_view int4_method = "int4-groups";

// The names and shapes of the three tensors, for a matrix of this shape.
struct Int4Names {
    std::string codes, multipliers, units;
    Shape codes_shape, multipliers_shape, units_shape;
};
Int4Names int4_names(const std::string& weight, const Shape& shape);

std::string codes_name(const std::string& weight);

// Is this tensor of a file the codes of some matrix?
bool is_int4(const std::string& name, const StoredTensor& view);

// Throws Error with the tensor's name if one of the three is missing or has another shape, if a
// half byte is no code, if a multiplier is too large, or if a unit is negative or not finite.
Int4Codes read_int4(const Safetensors& file, const std::string& weight, const Shape& shape);

// Computes the weights as floats: values is (K, N).
void restore_int4(const Int4Codes& codes, std::span<float> values);

}  // namespace tbt
