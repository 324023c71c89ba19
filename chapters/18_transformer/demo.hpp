// Parts 1 to 5 of chapter 18's program.
#pragma once

#include <string>
#include <vector>

#include "chapters/18_transformer/plain_gpt.hpp"
#include "lib/model/model.hpp"

namespace tbt {

// 1. Every matrix with its shape and its share of the weights.
void show_sizes(const PlainGpt& gpt);
// 2. One forward pass: how far each layer moves the last row, and what comes out, held against the
//    library's logits bit by bit.
void show_pass(const PlainGpt& gpt, Model& model, const std::string& prompt);
// 3. What the heads look at in a text.
void show_heads(const PlainGpt& gpt, const Tokenizer& tokenizer);
// 4. The logit lens: what the model would say after each layer.
void show_lens(const PlainGpt& gpt, const Tokenizer& tokenizer, const std::string& prompt);
// 5. What is lost without a head: bits a token, for each of them.
void show_cuts(const PlainGpt& gpt, const Tokenizer& tokenizer);

}  // namespace tbt
