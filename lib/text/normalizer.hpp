// Rewrites a text before it is tokenized: carries out the steps of TextRules::Normalizer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lib/text/vocabulary.hpp"

namespace tbt {

// Where a stretch of text is in the whole text: at the beginning, after an added token, or inside
// (it continues other text; then no step prepends anything).
enum class TextPlace { beginning, after_token, inside };

// The text after all steps. `place` decides whether steps that prepend apply. Throws Error if a
// step needs Unicode's tables and this build has none.
std::string normalized(std::span<const TextRules::Normalizer> steps, std::string_view text,
                       TextPlace place);

// The text in one of Unicode's normal forms: nfc, nfd, nfkc or nfkd. Bytes that are not UTF-8 stay
// as
// they are.
std::string in_form(std::string_view text, TextRules::Normalizer::Kind form);

}  // namespace tbt
