// The model in a GGUF file: its weights under the names and in the layout of the same model's
// safetensors on the Hugging Face hub ("the hub"), its configuration and its tokenizer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/files/gguf_file.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/transformer.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// The name in GGUF of a weight with this name on the hub: "blk.3.attn_q.weight" for
// "model.layers.3.self_attn.q_proj.weight".
std::string gguf_weight_name(const TransformerConfig& config, const std::string& name);

// How the layout of a weight in GGUF differs from that on the hub.
//   transposed  GGUF's matrices are (outputs, inputs), GPT-2's on the hub are (inputs, outputs)
//   pairs       rows i and i + D/2 of a head, which are rotated together, are rows 2i and 2i + 1 in
//               the GGUF files of Llama, Mistral, Granite and SmolLM3
//   parts       GPT-NeoX: q, k and v of each head in turn on the hub, all q, all k, all v in GGUF
enum class GgufLayout { same, transposed, pairs, parts };
GgufLayout gguf_layout(const TransformerConfig& config, const WeightShape& weight);
// With GgufLayout::pairs, row r of the hub's matrix or bias is row pair_row(r, D) in GGUF. D is the
// head size.
std::int64_t pair_row(std::int64_t row, std::int64_t head_size);

// Where a weight of the hub is in GGUF.
struct GgufPlace {
    // Of two tensors, each has every other row: gpt-oss's gate and up.
    std::vector<std::string> tensors;
    Shape shape = {};  // of each tensor: (rows, columns), or with all experts (E, rows, columns)
    GgufLayout layout = GgufLayout::same;
    std::int64_t rows = 0, columns = 1;  // of the weight: outputs and inputs; a vector has rows
    std::int64_t first = 0;              // the first row of this expert
    std::int64_t head_size = 1, heads = 1;
    // Where row r of the weight is: which tensor, and which row in it.
    std::pair<std::size_t, std::int64_t> at(std::int64_t r) const;
};
GgufPlace gguf_place(const TransformerConfig& config, const WeightShape& weight);

// llama.cpp's name for an architecture ("llama" for mistral, too). Throws Error if it has none.
std::string gguf_architecture(const std::string& model_type);

// The type in which a file's weights are kept in memory unless the options say otherwise: that of
// the file for 16 bits, and blocks if any of them is quantised.
WeightType gguf_weight_type(const GgufFile& file);

// The weights of a GGUF file, which must outlive them. Throws Error unless the file has all weights
// of this configuration and no others in its layers.
std::unique_ptr<const WeightStore> gguf_weights(const GgufFile& file,
                                                const TransformerConfig& config);

// The configuration. The file's values are translated to the config.json
// that the hub has for the same model and then read like one, so the same checks apply to both.
// Throws Error with the key if a size is missing or impossible, and with the name of the
// architecture or variant if this library does not support it.
TransformerConfig gguf_config(const GgufFile& file);

// The tokenizer. Two kinds are supported; throws Error with the name of any other
// tokenizer.ggml.model.
//   "gpt2"   byte-level BPE; tokenizer.ggml.pre names the pattern that splits a text
//   "llama"  SentencePiece: BPE over characters; the scores of the tokens give the merges' ranks
Tokenizer gguf_tokenizer(const GgufFile& file);

// The name in tokenizer.ggml.pre for these rules. Throws Error "WHO: …" if GGUF has no name for
// them.
std::string gguf_pretokenizer(const TextRules& rules, const std::string& who);

// The types of tokens, as numbers in tokenizer.ggml.token_type.
namespace gguf_token {
inline constexpr int normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6;
}

}  // namespace tbt
