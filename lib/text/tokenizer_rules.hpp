// Reads the TextRules in a tokenizer.json: its normalizer, pre_tokenizer, decoder, post_processor
// and the options of its model. Included by .cpp files only, because JSON is slow to compile.
#pragma once

#include <string>

#include "lib/json/json.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

// `json` is the whole file without the vocabulary and the merges. Throws Error "FILE: …" with the
// name of any setting that would give other ids or another text and is not supported.
TextRules read_text_rules(const Json& json, const std::string& file);

}  // namespace tbt
