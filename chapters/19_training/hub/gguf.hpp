// Writes a model directory as one GGUF file, the format of llama.cpp and programs built on it.
//
//     "GGUF", version 3, the number of tensors, the number of values
//     values:   key, type, value      general.architecture = "gpt2", gpt2.block_count = 6,
//                                     tokenizer.ggml.tokens = ["!", …], …
//     tensors:  name, dimensions, type, offset of its numbers
//     numbers:  each tensor begins at a multiple of 32 bytes
//
// GGUF lists dimensions from the fastest to the slowest, and has matrices as (outputs, inputs),
// row-major. GPT-2's files have (inputs, outputs), so they are transposed. All of chapter 25's
// models can be written (lib/files/gguf_model.hpp lists the differences). The file includes the
// tokenizer: tokens in the byte alphabet, merges, special tokens, chat template.
#pragma once

#include <string>

#include "lib/kernels/weight_type.hpp"

namespace tbt {

// Writes the file, atomically. With f32 every number is exact. With f16, matrices and the embedding
// are 16-bit; vectors and positions stay f32, as llama.cpp requires. Throws Error if the directory
// is not a model, if GGUF cannot express a property (windows in some layers, the way a tokenizer
// splits a text), for bf16, and for a number that is too large for f16.
void write_gguf(const std::string& directory, const std::string& path, WeightType type);

}  // namespace tbt
