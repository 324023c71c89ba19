// The parts of chapter 18's program.
#pragma once

#include <string>
#include <vector>

#include "chapters/18_transformer/plain_gpt.hpp"
#include "lib/core/gpt.hpp"

namespace tbt {

// 1. Every matrix, with its shape and its fraction of all weights.
void show_sizes(const PlainGpt& gpt);
// 2. One forward pass: how far each layer moves the last row, and the resulting logits, compared
//    with the library's bit by bit.
void show_pass(const PlainGpt& gpt, GptModel& model, const std::string& prompt);
// 3. Which tokens the heads attend to in a text.
void show_heads(const PlainGpt& gpt, const BytePairTokenizer& tokenizer);
// 4. The logit lens: what the model would predict after each layer.
void show_lens(const PlainGpt& gpt, const BytePairTokenizer& tokenizer, const std::string& prompt);
// 5. The loss without each head, in additional bits per token.
void show_cuts(const PlainGpt& gpt, const BytePairTokenizer& tokenizer);
// 6. Milliseconds a token, from the plain code to all of the fast one.
void show_times(const PlainGpt& gpt, const std::string& directory);
// 7. The attention weights of one head at every token, and what the logit lens reads after its
//    layer.
void show_weights(const PlainGpt& gpt, const BytePairTokenizer& tokenizer,
                  const std::string& prompt, int layer, int head);

}  // namespace tbt
