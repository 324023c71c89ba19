// Writes texts for people to read, from prompts that were written without knowing the grammars:
// their quality cannot be checked by a program.
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

}  // namespace tbt
