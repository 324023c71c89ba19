// Loads models from disk for training: as the teacher in distillation, or as the initial weights.
#pragma once

#include <string>

#include "lib/text/tokenizer.hpp"
#include "lib/train/trainer.hpp"

namespace tbt {

// The configuration of a model directory, ours or another GPT-2 or Llama in the hub's layout.
// Throws the errors of train::check_trainable(), and Error for a GPT-2 whose epsilon is not 1e-5.
TransformerConfig trainable_shape(const std::string& directory);

// Throws Error "DIRECTORY: …" unless the directory has the same tokenizer.
void check_same_tokenizer(const std::string& directory, const Tokenizer& tokenizer);

// Reads the weights into the model's parameters. The model must have the directory's shape.
void read_parameters(const std::string& directory, train::Trainer& model);

// FNV-1a hashes as hexadecimal digits: of the bytes of all tokens, and of the bits of weights.
std::string hash_of(const Tokenizer& tokenizer);
std::string hash_of(std::span<const float> values);

}  // namespace tbt
