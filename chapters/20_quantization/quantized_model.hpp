// A model directory with its matrices in 8 or 4 bits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "chapters/20_quantization/plain_factor.hpp"
#include "lib/kernels/tensor.hpp"

namespace tbt {

// A matrix (K, N) in 8 bits, as int8_matrix.hpp rounds it.
struct Int8Columns {
    Tensor q;       // (K, N) whole numbers, −127 … 127
    Tensor scales;  // (N)
};
Int8Columns quantized_columns(const std::string& name, const Tensor& w);

// A matrix (K, N) in 4 bits, as int4_matrix.hpp rounds it or, with the factor of its inputs, by
// GPTQ; laid out as int4_file.hpp has it.
struct Int4Columns {
    std::vector<std::uint8_t> codes, multipliers;  // (⌈K/2⌉, N), (⌈K/32⌉, N)
    Tensor units;                                  // (N)
};
Int4Columns quantized_groups(const std::string& name, const Tensor& w,
                             const Square* factor = nullptr);

struct Quantization {
    int bits = 8;                             // or 4
    std::map<std::string, Square> gptq = {};  // few_bits.hpp: input_factors; empty: to the nearest
};

struct QuantizedSizes {
    std::int64_t before = 0, after = 0;  // bytes of the weights' files
    std::int64_t matrices = 0;           // so many were rounded
};

// Throws Error where the weights of this directory are in 8 or 4 bits: they are rounded already.
void check_original(const std::string& directory);

// Throws the errors of write_quantized_model that need no weights.
void check_quantizable(const std::string& from, const std::string& to);

// Writes `to` from the model in `from`: the matrices of the layers in 8 bits with a scale for each
// column, or in 4 with a step for each 32 rows of one; everything else as it was. The embedding
// stays, as its rows are looked up as they are; as the output matrix it is rounded when the model
// is loaded. So the model in `to` has the logits of `from` with --weights int8 or, without GPTQ,
// int4, bit for bit. model.safetensors comes last: without it `to` is none. Throws Error where
// `from` is no model or is in few bits already, and where `to` holds a model.
QuantizedSizes write_quantized_model(const std::string& from, const std::string& to,
                                     const Quantization& how = {});

}  // namespace tbt
