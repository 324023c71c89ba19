// What the options of the command line ask for: checked, and made into a request of the generator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/dialects.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options/options.hpp"
#include "lib/model/model.hpp"

namespace tbt {

// The steps that the options switch on. What is not said: as the preset has it,
// or as the dialect does by itself; without either temperature 0.8 and top-p 0.9.
SamplingOptions sampling_of(const GenerateOptions& options);

// Throws UsageError on contradictions and on values that make no sense.
GenerateRequest request_of(const GenerateOptions& options, const Model& model,
                           int default_max_new_tokens = 200);

// The ids of a prompt that leaves room for what was asked.
std::vector<int> prompt_ids(const GenerateOptions& options, const Model& model,
                            std::string_view prompt);

// The bytes of a model's tokens; special ones are no text.
TokenBytes token_bytes_of(const Tokenizer& tokenizer);

// \n \t \r \\ \" \' as the characters they stand for; other backslashes stay.
std::string unescaped(std::string_view text);

}  // namespace tbt
