// The parts of a trace's lines that all decoders have.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/output.hpp"
#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

struct RecordedToken;

inline constexpr const char* trace_format = "token-by-token trace 2";

// One line. A path or a name that is not UTF-8 is no reason to fail at the very end.
std::string trace_line(const OrderedJson& j);

// Six digits are more than a picture shows, and a third of the file.
OrderedJson six(double x);

// id and text, and the bytes where they are no text by themselves.
OrderedJson token_json(const Tokenizer& tokenizer, int id);
// Texts alone.
OrderedJson tokens_json(const Tokenizer& tokenizer, const std::vector<int>& ids);

// One choice.
OrderedJson token_line(const Tokenizer& tokenizer, const RecordedToken& token, bool has_u);
OrderedJson result_line(const GeneratedText& text, const GenerateRequest& request,
                        std::size_t number);
OrderedJson chain_json(const Chain& chain);
OrderedJson prompts_json(const Tokenizer& tokenizer, std::span<const ShownPrompt> prompts);

// Of all files with weights, in the order of their names; "" where there are none.
std::string hash_of_model(const std::string& directory);

}  // namespace tbt
