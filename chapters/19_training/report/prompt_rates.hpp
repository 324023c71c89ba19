// What a program can decide about texts from strangers' prompts: names copied, sums, dates, JSON.
#pragma once

#include <string>

#include "lib/model/model.hpp"

namespace tbt {

// One line of rates.txt, "RATE: HOW: PROMPT => ANSWER" (json: no answer).
struct PromptQuestion {
    enum class How { chat, text, json } how = How::text;
    std::string rate, prompt, answer;
};

// Throws Error for a line that is none; `where` is what the message begins with.
PromptQuestion prompt_question(const std::string& line, const std::string& where);

// Is the question answered?
//   chat  the text, a reply, holds the answer as whole words
//   text  the text, a continuation, begins with the answer, where a word ends
//   json  prompt and text together are one valid JSON value
bool is_answered(const PromptQuestion& question, const std::string& text);

// All lines of FOLDER/rates.txt, greedy: each miss, then a line a rate, "names: 3 of 15".
// Empty where there is no such file.
std::string prompt_rates(Model& model, const std::string& folder);

}  // namespace tbt
