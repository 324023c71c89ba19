// What no program can judge: texts for the eye, from prompts that were written without a look at
// the grammars.
#pragma once

#include <string>

#include "lib/model/model.hpp"

namespace tbt {

// Each line of FOLDER/openings.txt continued at T .8, top-p .9, and each of FOLDER/chat.txt
// answered, greedy; there " | " stands between the turns of one conversation.
// Throws Error when a file cannot be read.
std::string texts_to_read(Model& model, const std::string& folder);

}  // namespace tbt
