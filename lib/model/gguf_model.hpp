// The weights of a GGUF file by the names and in the layout that the hub's safetensors have.
#pragma once

#include <string>
#include <string_view>

#include "lib/model/gguf_config.hpp"
#include "lib/model/gguf_file.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// Whether a --model of this name is a file, and so a GGUF file, not a model's directory.
bool is_model_file(const std::string& path);

// "model.layers.3.self_attn.q_proj.weight" is "blk.3.attn_q.weight" there.
std::string gguf_weight_name(const TransformerConfig& config, const std::string& name);

// How the numbers of a weight lie in GGUF. The file's matrices are (outputs, inputs), GPT-2's on
// the hub (inputs, outputs). Rotated pairs (i, i + D/2) of a head's rows are neighbours, 2i and
// 2i + 1, in files of Llama, Mistral and SmolLM3.
enum class GgufLayout { same, transposed, pairs };
GgufLayout gguf_layout(const TransformerConfig& config, const WeightShape& weight);
// Row r of a matrix, or of its bias, is row pair_row(r, D) in such a file.
std::int64_t pair_row(std::int64_t row, std::int64_t head_size);

// What llama.cpp calls an architecture ("llama" for mistral, too). Throws Error where it has none.
std::string gguf_architecture(const std::string& model_type);

// Weights of 16 bits are kept as they are, blocks of 8 and 4 bits as the floats that they are.
WeightType gguf_weight_type(const GgufFile& file);

// The weights of a file, opened and checked as OpenedWeights does it for a directory.
struct GgufWeights {
    GgufWeights(const GgufFile& file, const TransformerConfig& config,
                const TransformerOptions& options);
    GgufWeights(const GgufWeights&) = delete;

    WeightSource source;  // reads from the file
    TransformerOptions options;
};

}  // namespace tbt
