// Models on disk as weights for training: the teacher of a pupil, or the model to go on from.
#pragma once

#include <string>

#include "lib/text/tokenizer.hpp"
#include "lib/train/trainer.hpp"

namespace tbt {

// Of a directory as the hub has it, ours, a GPT-2 or a Llama. Throws Error for what
// train::check_trainable refuses, and for a GPT-2 whose epsilon is not 1e-5.
TransformerConfig trainable_shape(const std::string& directory);

// Throws Error, "DIRECTORY: …", unless its tokenizer is this one.
void check_same_tokenizer(const std::string& directory, const Tokenizer& tokenizer);

// Fills the parameters, which have the directory's shape.
void read_parameters(const std::string& directory, train::Trainer& model);

// FNV-1a as hexadecimal digits: over the bytes of all tokens, over the bits of weights.
std::string hash_of(const Tokenizer& tokenizer);
std::string hash_of(std::span<const float> values);

}  // namespace tbt
