// Log-probabilities of tokens, in the two forms that OpenAI's objects have for them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "chapters/26_serving/server/job.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// Of a chat: an object for each token, with its bytes and the first choices.
OrderedJson chat_logprob_lists(const std::vector<TokenLogprob>& tokens, const Tokenizer& tokenizer);
// Of a completion: lists side by side. offset: of the first token in the text, in characters.
OrderedJson text_logprob_lists(const std::vector<TokenLogprob>& tokens, std::size_t offset,
                               const Tokenizer& tokenizer);

// How many characters begin in these bytes, which may end in the middle of one.
std::size_t characters_begun(std::string_view text);

}  // namespace tbt
