// A conversation as a prompt: by the model's chat template, or in the lines that ours learnt; and
// what the answer is held to.
#pragma once

#include <string>
#include <vector>

#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/26_serving/server/body_reader.hpp"
#include "lib/chat/chat_template.hpp"

namespace tbt {

struct ChatQuestion {
    std::vector<ChatMessage> messages;
    std::string told_tools;     // as JSON, for a template; empty: none
    std::string schema, tools;  // that the answer is held to; empty: nothing
    bool strict = false, open = false;
    bool may_call = false;  // a tool, by choice or because it must

    // User: hi
    // Assistant:
    // What the system says is a paragraph before; what a tool gives, the user says.
    std::string in_lines() const;

    void hold(GuideRequest& guide) const;
};

// messages and, of the body, response_format, tools, tool_choice and parallel_tool_calls.
// Throws ApiError.
ChatQuestion read_chat_question(const OrderedJson& messages, BodyReader& body);

// What holds for an answer where a body says nothing: as many tokens as the context has room for.
TextOptions for_answers(TextOptions options);
// And the temperature of `make chat`, unless the options say how a token is chosen.
TextOptions with_answers_temperature(TextOptions options);

}  // namespace tbt
