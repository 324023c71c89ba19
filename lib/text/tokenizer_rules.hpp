// What a tokenizer.json says of texts: its normalizer, pre_tokenizer, decoder, post_processor and
// the options of its model. Included by .cpp files only: JSON is slow to compile.
#pragma once

#include <string>

#include "lib/machine/json_file.hpp"
#include "lib/text/text_rules.hpp"

namespace tbt {

// json: the whole file, without the vocabulary and merges. Everything that would give other ids, or
// another text, than this library makes is refused by name: throws Error "FILE: …".
TextRules read_text_rules(const Json& json, const std::string& file);

}  // namespace tbt
