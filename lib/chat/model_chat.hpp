// Finds the chat template of a model: the text that says how messages become one prompt
// (lib/chat/chat_template.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lib/chat/chat_template.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// `choice` is the name of a family of models or of a file. If it is empty, this is the model's own
// template, from its directory (read_chat_template) or GGUF file (tokenizer.chat_template), with
// the one named "tool_use", if there is one, for conversations with tools. Throws Error with the
// list of families if there is no such template.
ChatTemplate chat_template_for(const std::filesystem::path& model, const Tokenizer& tokenizer,
                               const std::string& choice = "");

// The text of the model's own template of this name; none if it has none.
std::optional<std::string> own_chat_template(const std::filesystem::path& model,
                                             const std::string& name = "default");

}  // namespace tbt
