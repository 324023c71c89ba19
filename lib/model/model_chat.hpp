// The chat template of a model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lib/chat/chat_template.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// choice: empty for the model's own, of its directory (read_chat_template) or its GGUF file
// (tokenizer.chat_template); otherwise the name of a family or a file. Throws Error where there is
// none, with the list of families.
ChatTemplate chat_template_for(const std::filesystem::path& model, const Tokenizer& tokenizer,
                               const std::string& choice = "");

// The text of the model's own; nothing where it has none.
std::optional<std::string> own_chat_template(const std::filesystem::path& model);

}  // namespace tbt
