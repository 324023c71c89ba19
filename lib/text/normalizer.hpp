// The steps of TextRules::Normalizer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lib/text/text_rules.hpp"

namespace tbt {

// Where a text is from: it begins what a model reads, or follows an added token there, or continues
// other text (then no step prepends anything).
enum class TextPlace { beginning, after_token, inside };

// The text after all steps; of the steps that prepend, only those that its place asks for.
// Throws Error where a step needs Unicode's tables and this build has none.
std::string normalized(std::span<const TextRules::Normalizer> steps, std::string_view text,
                       TextPlace place);

// Unicode's composed form (NFC). Bytes that are not UTF-8 stay as they are.
std::string composed(std::string_view text);

}  // namespace tbt
