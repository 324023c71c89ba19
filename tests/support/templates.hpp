// For tests of chat templates: what a template writes of a short conversation, and what is said of
// one that does not work.
#pragma once

#include <string>
#include <vector>

#include "lib/chat/chat_template.hpp"
#include "lib/core/error.hpp"

namespace tbt::test {

inline const std::vector<ChatMessage> talk = {
    {"system", "Be kind."}, {"user", "Hi"}, {"user", "You?"}};

inline std::string rendered(const std::string& source, const ChatOptions& options = {}) {
    return ChatTemplate(source, "<s>", "</s>").render(talk, options).text();
}

// What is said of a template, when it is read or when it runs.
inline std::string refusal(const std::string& source, const ChatOptions& options = {}) {
    try {
        return "accepted: " + rendered(source, options);
    } catch (const Error& e) {
        return e.what();
    }
}

}  // namespace tbt::test
