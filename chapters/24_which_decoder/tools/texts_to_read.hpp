// Texts from prompts that were written by people who did not know the grammars: for people to read,
// where a program cannot check the quality, and rates of right answers where it can.
#pragma once

#include <string>
#include <vector>

#include "lib/files/model.hpp"

namespace tbt {

// Continues each line of FOLDER/openings.txt at T = .8, top-p .9, and answers each line of
// FOLDER/chat.txt greedily; there " | " separates the turns of one conversation. Throws Error if a
// file cannot be read.
std::string texts_to_read(Model& model, const std::string& folder);

// One conversation, answered greedily: lines "User: …" and "Assistant: …". `line` is as in
// chat.txt.
std::string conversation(Model& model, const std::string& line);

// The lines of a file that are not empty.
std::vector<std::string> lines_of(const std::string& path);
std::string on_one_line(std::string text);

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
