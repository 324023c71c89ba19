// The results of a generation, for people (tables) and for programs (JSON).
#pragma once

#include <string>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/prompt_logprobs.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// --explain: what each step of the chain did to the candidates and to the token that was drawn.
std::string explanation(const Tokenizer& tokenizer, const Chain& chain, const Trace& trace,
                        int step);

// --logprobs: prints one line for each token.
void print_log_probabilities(const Tokenizer& tokenizer, const GeneratedText& text);

// --figure: draws the text, each token shaded by its surprise. Needs traces.
void write_surprise_figure(const std::string& file, const Tokenizer& tokenizer,
                           const std::string& prompt, const GeneratedText& text);

// --trace: the lines of a JSON Lines file, each with its line break.
// The lesson of chapter 10 documents the fields.
std::string trace_header(const std::string& model, const std::string& prompt,
                         const GenerateRequest& request, const std::vector<int>& prompt_ids);
std::string trace_line(const Tokenizer& tokenizer, const Trace& trace, std::size_t sample,
                       int step);

// --output-format json: all texts as one object.
std::string json_result(const std::string& model, const std::string& prompt,
                        const GenerateRequest& request, const std::vector<int>& prompt_ids,
                        const Tokenizer& tokenizer, const std::vector<GeneratedText>& texts,
                        const std::vector<PromptToken>& prompt_tokens = {});
// --output-format jsonl: one text, with its prompt.
std::string jsonl_result(const std::string& prompt, const GenerateRequest& request,
                         const Tokenizer& tokenizer, const GeneratedText& text);

}  // namespace tbt
