// What a guide said before a token, for traces: the mask, what it removed, where the text stands.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "chapters/10_generate/recorded_token.hpp"
#include "chapters/13_json_grammar/token_constraint.hpp"

namespace tbt {

// logits: of the model, before the mask. Throws Error where they are not of the vocabulary's size.
GuideState guide_state(TokenConstraint& constraint, std::span<const float> logits);

// Where a beginning of JSON stands: "object › likes › item 2: in a string". Empty if it is none,
// or neither an object nor an array.
std::string json_words(std::string_view text);

}  // namespace tbt
