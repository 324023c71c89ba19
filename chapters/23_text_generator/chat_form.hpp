// How a conversation with a model is written: by its chat template (lib/chat), or, as ours learnt
// it, in lines User: and Assistant: (chapter 10).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "chapters/10_generate/chat.hpp"
#include "lib/chat/chat_template.hpp"

namespace tbt {

class ChatForm {
public:
    // choice: the name of a family or a file; empty for the template of the model in this
    // directory or file. A model without one is refused with the list of families. Lines: for our
    // models, the choice "storyteller", and a model that was opened without a directory.
    ChatForm(const std::string& model, const Tokenizer& tokenizer, const std::string& choice);

    bool is_lines() const { return !chat_; }
    // The tokenizer must outlive it. Throws UsageError for a system's text in lines.
    Conversation::Prompt prompt(const Tokenizer& tokenizer, const std::string& system) const;

private:
    std::shared_ptr<const ChatTemplate> chat_;  // null: lines
};

// The forms of one model, each read once.
class ChatForms {
public:
    const ChatForm& of(const std::string& model, const Tokenizer& tokenizer,
                       const std::string& choice);

private:
    std::map<std::string, ChatForm> by_choice_;
};

}  // namespace tbt
