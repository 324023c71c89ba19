// The weights of a GGUF file, under the names and in the layout of the same model's safetensors on
// the Hugging Face hub ("the hub").
#pragma once

#include <string>
#include <string_view>

#include "lib/model/gguf_config.hpp"
#include "lib/model/gguf_file.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// Is this path, given as --model, a file? Then it is read as GGUF, otherwise as a model directory.
bool is_model_file(const std::string& path);

// The name in GGUF of a weight with this name on the hub: "blk.3.attn_q.weight" for
// "model.layers.3.self_attn.q_proj.weight".
std::string gguf_weight_name(const TransformerConfig& config, const std::string& name);

// How the layout of a weight in GGUF differs from that on the hub.
//   transposed  GGUF's matrices are (outputs, inputs), GPT-2's on the hub are (inputs, outputs)
//   pairs       rows i and i + D/2 of a head, which are rotated together, are rows 2i and 2i + 1 in
//               the GGUF files of Llama, Mistral and SmolLM3
enum class GgufLayout { same, transposed, pairs };
GgufLayout gguf_layout(const TransformerConfig& config, const WeightShape& weight);
// With GgufLayout::pairs, row r of the hub's matrix or bias is row pair_row(r, D) in GGUF. D is the
// head size.
std::int64_t pair_row(std::int64_t row, std::int64_t head_size);

// llama.cpp's name for an architecture ("llama" for mistral, too). Throws Error if it has none.
std::string gguf_architecture(const std::string& model_type);

// The type in which a file's weights are kept in memory unless the options say otherwise: that of
// the file for 16 bits, float for blocks of 8 and 4 bits (with the same values).
WeightType gguf_weight_type(const GgufFile& file);

// The weights of a GGUF file, opened and checked as OpenedWeights (weight_reader.hpp) does it for a
// directory.
struct GgufWeights {
    GgufWeights(const GgufFile& file, const TransformerConfig& config,
                const TransformerOptions& options);
    GgufWeights(const GgufWeights&) = delete;

    WeightSource source;  // reads from the file
    TransformerOptions options;
};

}  // namespace tbt
