// A model directory with its matrices in 8 bits.
#pragma once

#include <cstdint>
#include <string>

#include "lib/kernels/tensor.hpp"

namespace tbt {

// A matrix (K, N) in 8 bits, as int8_matrix.hpp rounds it.
struct Int8Columns {
    Tensor q;       // (K, N) whole numbers, −127 … 127
    Tensor scales;  // (N)
};
Int8Columns quantized_columns(const std::string& name, const Tensor& w);

struct QuantizedSizes {
    std::int64_t before = 0, after = 0;  // bytes of the weights' files
    std::int64_t matrices = 0;           // so many were rounded
};

// Writes `to` from the model in `from`: the matrices of the layers in 8 bits with a scale for each
// column, everything else as it was. The embedding stays, as its rows are looked up as they are; as
// the output matrix it is rounded when the model is loaded. So the model in `to` has the logits of
// `from` with --weights int8, bit for bit. model.safetensors comes last: without it `to` is none.
// Throws Error where `from` is no model or is in 8 bits already, and where `to` holds a model.
QuantizedSizes write_quantized_model(const std::string& from, const std::string& to);

}  // namespace tbt
