// A conversation as a prompt: by the model's chat template, or in the lines that ours learnt; and
// what the answer is held to.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/26_serving/server/body.hpp"
#include "lib/chat/chat_template.hpp"

namespace tbt {

struct ChatQuestion {
    std::vector<ChatMessage> messages;
    std::string told_tools;     // as JSON, for a template; empty: none
    std::string schema, tools;  // that the answer is held to; empty: nothing
    bool strict = false, open = false;
    std::set<std::string> tool_names;  // that it may call, by choice or because it must
    bool one_call = false;             // at most
    bool old_functions = false;        // asked for as `functions`: the answer has `function_call`
    std::string variables;             // for a template, a JSON object; empty: none
    std::string begun;                 // the answer goes on from here; empty: it begins anew

    // User: hi
    // Assistant:
    // What the system says is a paragraph before; what a tool gives, the user says.
    std::string in_lines() const;
    // What follows the prompt where the answer goes on; after "Assistant:" with a space.
    std::string begun_text(bool after_colon) const;
};

// messages and, of the body, response_format, tools, tool_choice and parallel_tool_calls.
// Throws ApiError.
ChatQuestion read_chat_question(const Json& messages, BodyReader& body);

// response_format alone: sets schema, strict and open.
void read_response_format(BodyReader& body, ChatQuestion& question);

}  // namespace tbt
