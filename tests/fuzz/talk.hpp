// The target that reads the lines of a chat.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chapters/10_generate/chat.hpp"
#include "chapters/10_generate/options.hpp"
#include "lib/files/random_model.hpp"
#include "tests/fuzz/targets.hpp"

namespace tbt::fuzz {

// Each line is a turn; a line that begins with an exclamation mark is an answer.
inline void read_chat(std::string_view bytes) {
    static const Tokenizer tokenizer = babble_tokenizer(300);
    constexpr int budget = 60;
    Conversation conversation(
        lines_prompt([](std::string_view text) { return tokenizer.encode(text); }), budget);
    bool asked = false;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
        const std::string line(bytes.substr(at, end - at));
        at = end + 1;
        says_goodbye(line), unescaped(line);
        try {
            if (line.starts_with('!') && asked) {
                conversation.answer(line.substr(1)), asked = false;
                continue;
            }
            const std::vector<int> prompt = conversation.ask(line);
            asked = true;
            promise(count(prompt) <= budget, "a prompt fits");
            promise(tokenizer.decode(prompt).ends_with("\nAssistant:"),
                    "a prompt ends in a question");
        } catch (const Error&) {
        }
    }
}

}  // namespace tbt::fuzz
