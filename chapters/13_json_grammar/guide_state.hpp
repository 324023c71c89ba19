// What a guide said before a token, for traces: the mask, what it removed, where the text is.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "chapters/10_generate/recorded_token.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"

namespace tbt {

// Says where a text is in its grammar; may be empty.
using StateWords = std::function<std::string(std::string_view text)>;

// logits: of the model, before the mask. words: for texts that are no JSON, which has its own.
// Throws Error where there are fewer logits than tokens.
GuideState guide_state(GrammarMatcher& constraint, std::span<const float> logits,
                       const StateWords& words = {});

// Where a beginning of JSON is: "object › likes › item 2: in a string". Empty if it is none,
// or neither an object nor an array.
std::string json_words(std::string_view text);

}  // namespace tbt
