#include "chapters/23_text_generator/chat_form.hpp"

#include <ctime>
#include <vector>

#include "lib/chat/model_chat.hpp"
#include "lib/core/error.hpp"

namespace tbt {

namespace {

ChatOptions options_of_today() {
    ChatOptions options;
    options.now = std::time(nullptr);  // for templates that write the date
    return options;
}

// Refuses a system text that the template would ignore, as Phi-3's does.
void check_takes_system(const ChatTemplate& chat, const std::string& system) {
    const ChatMessage hello{"user", "hello"}, told[] = {{"system", system}, hello};
    const ChatOptions options = options_of_today();
    if (chat.render(told, options).text() == chat.render({&hello, 1}, options).text())
        throw UsageError(
            "--system: this chat template has no place for it; say it in the first message");
}

}  // namespace

ChatForm::ChatForm(const std::string& model, const Tokenizer& tokenizer,
                   const std::string& choice) {
    if (model.empty() && choice.empty()) return;
    ChatTemplate chat = chat_template_for(model, tokenizer, choice);
    if (chat.source() != chat_family("storyteller"))
        chat_ = std::make_shared<const ChatTemplate>(std::move(chat));
}

Conversation::Prompt ChatForm::prompt(const Tokenizer& tokenizer, const std::string& system) const {
    if (is_lines()) {
        if (!system.empty())
            throw UsageError(
                "--system: lines User: and Assistant: have no place for it; leave it out, or take "
                "a model with another chat template");
        return lines_prompt([&](std::string_view text) { return tokenizer.encode(text); });
    }
    if (!system.empty()) check_takes_system(*chat_, system);
    return
        [chat = chat_, &tokenizer, system](const std::vector<Turn>& turns, std::string_view user) {
            std::vector<ChatMessage> messages;
            if (!system.empty()) messages.push_back({"system", system});
            for (const Turn& turn : turns) {
                messages.push_back({"user", turn.user});
                messages.push_back({"assistant", turn.assistant});
            }
            messages.push_back({"user", std::string(user)});
            return chat_ids(tokenizer, *chat, messages, options_of_today());
        };
}

const ChatForm& ChatForms::of(const std::string& model, const Tokenizer& tokenizer,
                              const std::string& choice) {
    const auto known = by_choice_.find(choice);
    if (known != by_choice_.end()) return known->second;
    return by_choice_.emplace(choice, ChatForm(model, tokenizer, choice)).first->second;
}

}  // namespace tbt
