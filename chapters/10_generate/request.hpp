// Checks the options of the command line and makes a request of the generator from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/dialects.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options/options.hpp"
#include "lib/files/model.hpp"

namespace tbt {

// The sampling options. Values that are not given come from the preset, or else from the dialect's
// defaults; without either, temperature is 0.8 and top-p 0.9.
SamplingOptions sampling_of(const GenerateOptions& options);

// The request. Throws UsageError for contradictions and impossible values.
GenerateRequest request_of(const GenerateOptions& options, const Model& model,
                           int default_max_new_tokens = 200);

// The ids of a prompt. Throws if it leaves no room for the requested tokens.
std::vector<int> prompt_ids(const GenerateOptions& options, const Model& model,
                            std::string_view prompt);

// The bytes of a model's tokens; empty for special tokens.
TokenBytes token_bytes_of(const Tokenizer& tokenizer);

// Replaces \n \t \r \\ \" \' by the characters that they stand for; other backslashes stay.
std::string unescaped(std::string_view text);

}  // namespace tbt
