// The written form of a chat: by a chat template (lib/chat), or in lines User: and Assistant:
// (chapter 10), as our models learnt it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "chapters/10_generate/chat.hpp"
#include "lib/chat/chat_template.hpp"

namespace tbt {

class ChatForm {
public:
    // choice: the name of a family of templates, or a file; empty for the template of the model in
    // this directory or file. Throws UsageError with the list of families if the model has none.
    // Lines are used for our models, for the choice "storyteller", and for a model without a
    // directory.
    ChatForm(const std::string& model, const Tokenizer& tokenizer, const std::string& choice);

    bool is_lines() const { return !chat_; }
    // Makes prompts. The tokenizer must outlive the result. Throws UsageError for a system text
    // with lines.
    Conversation::Prompt prompt(const Tokenizer& tokenizer, const std::string& system) const;

private:
    std::shared_ptr<const ChatTemplate> chat_;  // null: lines
};

// The chat forms of one model; each is read once.
class ChatForms {
public:
    const ChatForm& of(const std::string& model, const Tokenizer& tokenizer,
                       const std::string& choice);

private:
    std::map<std::string, ChatForm> by_choice_;
};

}  // namespace tbt
