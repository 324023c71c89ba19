// Weights of 4 bits in a safetensors file. A matrix NAME (K, N) is there as three tensors:
//
//   NAME_codes        U8  (⌈K/2⌉, N)   a byte holds q + 8 of rows 2i (low half) and 2i + 1 (high)
//   NAME_multipliers  U8  (⌈K/32⌉, N)  m, 0 … 127, one for 32 rows
//   NAME_units        F32 (N)          S, one a column
//
// with q in −7 … 7. A weight is S · m · q (int4_matrix.hpp). The halves of the last byte that
// belong to no row are 8. Rounding such weights again would move them, so for int4 they are packed
// as they are; for every other type they are restored.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kernels/int4_matrix.hpp"
#include "lib/kernels/tensor.hpp"

namespace tbt {

class Safetensors;
struct TensorView;

inline constexpr std::string_view int4_dtype = "U8";
// What config.json calls this, as int8_file.hpp has its own.
inline constexpr std::string_view int4_method = "int4-groups";

// The names and shapes of the three, for a matrix of this shape.
struct Int4Names {
    std::string codes, multipliers, units;
    Shape codes_shape, multipliers_shape, units_shape;
};
Int4Names int4_names(const std::string& weight, const Shape& shape);

std::string codes_name(const std::string& weight);

// Whether a tensor of a file is the codes of some matrix.
bool is_int4(const std::string& name, const TensorView& view);

// Throws Error, one line with the tensor, where one of the three is missing or has another shape,
// a half byte is no code, a multiplier is too large, or a unit is negative or no number.
Int4Codes read_int4(const Safetensors& file, const std::string& weight, const Shape& shape);

// The weights as floats, (K, N).
void restore_int4(const Int4Codes& codes, std::span<float> values);

}  // namespace tbt
