// A model directory as one GGUF file, the format of llama.cpp and of what is built on it.
//
//     "GGUF", version 3, how many tensors, how many values
//     values:   key, type, value      general.architecture = "gpt2", gpt2.block_count = 6,
//                                     tokenizer.ggml.tokens = ["!", …], …
//     tensors:  name, dimensions, type, where its numbers begin
//     numbers:  each tensor from a multiple of 32 bytes on
//
// GGUF names dimensions from the fastest to the slowest, and keeps matrices as (outputs, inputs)
// row by row; GPT-2's files have (inputs, outputs), so they are transposed on the way. Of today's
// models all that chapter 25 names are written (lib/model/gguf_model.hpp says what differs). The
// tokenizer goes with it: tokens in the byte alphabet, merges, special tokens, chat template.
#pragma once

#include <string>

#include "lib/kernels/weight_type.hpp"

namespace tbt {

// Writes the file, atomically. f32 keeps every number; with f16, matrices and the table of tokens
// are 16-bit, vectors and positions stay f32, as llama.cpp wants them. Throws Error for a directory
// that is no model, for what GGUF has no value for (windows in some layers, how a tokenizer splits
// a text), for bf16, and for a number that is too large for f16.
void write_gguf(const std::string& directory, const std::string& path, WeightType type);

}  // namespace tbt
