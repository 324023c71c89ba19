// Writes a model directory with its matrices in 8 or 4 bits (build/quantize).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "chapters/20_quantization/plain_factor.hpp"
#include "lib/core/tensor.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// A matrix (K, N) in 8 bits, rounded as in lib/quantized/integer_matrix.hpp; an embedding (N, K),
// by its name, in rows.
struct Int8Columns {
    Tensor q;       // (K, N) or (N, K) integers, −127 … 127
    Tensor scales;  // (N)
};
Int8Columns quantized_columns(const std::string& name, const Tensor& w);

// A matrix (K, N) in 4 bits, rounded as in lib/quantized/integer_matrix.hpp or, if the factor of
// its inputs is given, by GPTQ. The layout is that of lib/files/stored_integers.hpp.
struct Int4Columns {
    std::vector<std::uint8_t> codes, multipliers;  // (⌈K/2⌉, N), (⌈K/32⌉, N)
    Tensor units;                                  // (N)
};
Int4Columns quantized_groups(const std::string& name, const Tensor& w,
                             const Square* factor = nullptr);

struct Quantization {
    int bits = 8;                             // or 4
    std::map<std::string, Square> gptq = {};  // input_factors() of few_bits.hpp; empty: no GPTQ
};

struct QuantizedSizes {
    std::int64_t before = 0, after = 0;  // bytes of the weights' files
    std::int64_t matrices = 0;           // the number of rounded matrices
};

// Throws Error if the weights of this directory are already in 8 or 4 bits.
void check_original(const std::string& directory);

// Throws those errors of write_quantized_model() that can be found without reading the weights.
// Returns the configuration in `from`.
TransformerConfig check_quantizable(const std::string& from, const std::string& to);

// Quantises the model in `from` and writes it to `to`. The matrices of the layers are in 8 bits
// with a scale for each column, or in 4 bits with a scale for every 32 rows of a column; everything
// else is unchanged, except that a tied embedding has 8 bits beside 4. Beside 8 it is not rounded,
// since its rows are used as they are; as the output matrix it is rounded when the model is loaded.
// So the model in `to` has the same logits, bit for bit, as `from` with --weights int8 or, without
// GPTQ, --weights int4. model.safetensors is written last; without this file `to` is not a model.
// Throws Error if `from` is not a model or is quantised already, or if `to` has a model.
QuantizedSizes write_quantized_model(const std::string& from, const std::string& to,
                                     const Quantization& how = {});

}  // namespace tbt
