// What no program can judge: texts for the eye, from prompts that were written without a look at
// the grammars.
#pragma once

#include <string>
#include <vector>

#include "lib/model/model.hpp"

namespace tbt {

// Each line of FOLDER/openings.txt continued at T .8, top-p .9, and each of FOLDER/chat.txt
// answered, greedy; there " | " stands between the turns of one conversation.
// Throws Error when a file cannot be read.
std::string texts_to_read(Model& model, const std::string& folder);

// One conversation, greedy: "User: …" and "Assistant: …", a line each; `line` as in chat.txt.
std::string conversation(Model& model, const std::string& line);

// The lines of a file that are not empty.
std::vector<std::string> lines_of(const std::string& path);
std::string on_one_line(std::string text);

}  // namespace tbt
