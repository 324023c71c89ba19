// The target that reads and runs a chat template.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/chat/chat_template.hpp"
#include "lib/core/unicode.hpp"
#include "tests/fuzz/targets.hpp"

namespace tbt::fuzz {

inline void read_chat_template_text(std::string_view bytes) {
    const std::vector<ChatMessage> messages = {
        {"system", "Be kind."}, {"user", "\u00fc<|im_end|>"}, {"assistant", "Yes."}, {"user", "?"}};
    ChatOptions options;
    options.variables = R"({"n": 3, "list": [1, "a", null], "object": {"a": {"b": 1.5}}})";
    try {
        const MarkedText text =
            ChatTemplate(std::string(bytes), "<s>", "</s>").render(messages, options);
        promise(find_invalid_utf8(text.text()) == std::string::npos, "a rendered text is UTF-8");
        std::size_t last = 0;
        for (const MarkedText::Range& r : text.from_messages()) {
            promise(r.begin >= last && r.begin < r.end && r.end <= text.text().size(),
                    "marks are ascending, inside the text, and not empty");
            last = r.end;
        }
    } catch (const Error& e) {
        promise(std::string_view(e.what()).starts_with("chat template: "),
                "a refusal names the template");
    }
}

}  // namespace tbt::fuzz
