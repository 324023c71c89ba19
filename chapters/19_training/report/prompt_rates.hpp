// Rates of right answers that a program can check, for prompts written by people who did not know
// the corpus: copied names, sums, dates, JSON.
#pragma once

#include <string>

#include "lib/files/model.hpp"

namespace tbt {

// One line of rates.txt, "RATE: HOW: PROMPT => ANSWER" (json: no answer).
struct PromptQuestion {
    enum class How { chat, text, json } how = How::text;
    std::string rate, prompt, answer;
};

// Parses a line. Throws Error "WHERE: …" if it has a wrong form.
PromptQuestion prompt_question(const std::string& line, const std::string& where);

// Is the question answered?
//   chat  the text, a reply, contains the answer as whole words
//   text  the text, a continuation, begins with the answer as whole words
//   json  prompt and text together are one valid JSON value
bool is_answered(const PromptQuestion& question, const std::string& text);

// Answers all lines of FOLDER/rates.txt greedily. Returns each wrong answer, then a line for each
// rate, "names: 3 of 15"; empty if there is no such file.
std::string prompt_rates(Model& model, const std::string& folder);

}  // namespace tbt
