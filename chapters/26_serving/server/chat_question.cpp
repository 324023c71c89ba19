#include "chapters/26_serving/server/chat_question.hpp"

#include <algorithm>

#include "chapters/10_generate/chat.hpp"
#include "lib/json/json.hpp"

namespace tbt {

namespace {

std::string content_of(const Json& content, const BodyReader& message) {
    if (content.is_string()) return content.get<std::string>();
    if (!content.is_array()) message.fail("content", "expected a string, or a list of text parts");
    std::string text;
    for (const Json& part : content) {
        const std::string type = text_or(part, "type", "");
        if (type == "thinking" || type == "reasoning") continue;
        if (type.find("image") != std::string::npos)
            message.fail("content", "this model reads no pictures");
        if (!type.ends_with("text") || !member(part, "text").is_string())
            message.fail("content", "expected parts of type text; this model reads nothing else");
        text += part["text"].get<std::string>();
    }
    return text;
}

// Calls in earlier answers. OpenAI has their arguments as a string of JSON; templates go through
// the object, or write it themselves.
Json calls_in(Json calls, const BodyReader& message) {
    if (!calls.is_array()) message.fail("tool_calls", "expected a list");
    for (Json& call : calls) {
        const Json& function = member(call, "function");
        const Json& given = member(function, "arguments");
        if (!function.contains("name") || !(given.is_string() || given.is_object()))
            message.fail("tool_calls", "expected function.name and function.arguments");
        if (given.is_object()) continue;
        Json arguments = given == "" ? Json::object() : json_value(given.text());
        if (arguments.is_object()) call["function"]["arguments"] = std::move(arguments);
    }
    return calls;
}

// The same as the model wrote them.
std::string text_of_calls(const Json& calls) {
    std::string text;
    for (const Json& call : calls)
        text += json_text(
            Json{{"name", call["function"]["name"]}, {"arguments", call["function"]["arguments"]}});
    return text;
}

ChatMessage message_in(const Json& json, const std::string& place) {
    BodyReader message(json, place);
    std::string role = message.text("role").value_or("");
    const Json* content = message.take("content");
    const Json *calls = message.take("tool_calls"), *old = message.take("function_call");
    if (!content && !calls && !old && !json.contains("content"))
        message.fail("content", "expected a string");
    if (role == "developer") role = "system";
    if (role == "function") role = "tool";
    if (role != "system" && role != "user" && role != "assistant" && role != "tool")
        message.fail("role", "expected system, user, assistant or tool");
    ChatMessage read{role, content ? content_of(*content, message) : std::string(), ""};
    Json more = Json::object();
    if (calls && !calls->empty()) more["tool_calls"] = calls_in(*calls, message);
    else if (old) more["tool_calls"] = calls_in(Json::array({Json{{"function", *old}}}), message);
    if (const auto thoughts = message.text("reasoning_content"))
        more["reasoning_content"] = *thoughts;
    if (!more.empty()) read.more = json_text(more);
    return read;
}

std::string name_of_tool(const Json& tool) {
    const Json& function = member(tool, "function");
    return text_or(function.is_object() ? function : tool, "name", "");
}

// The tools of a body, in today's form; those of yesterday are functions.
Json tools_in(BodyReader& body, ChatQuestion& question) {
    const Json *tools = body.take("tools"), *functions = body.take("functions");
    Json all = Json::array();
    if (tools && !tools->is_array()) body.fail("tools", "expected a list");
    if (functions && !functions->is_array()) body.fail("functions", "expected a list");
    question.old_functions = functions && (!tools || tools->empty());
    if (question.old_functions)
        for (const Json& function : *functions)
            all.push_back({{"type", "function"}, {"function", function}});
    else if (tools) all = *tools;
    for (Json& tool : all) {
        if (name_of_tool(tool).empty())
            body.fail(question.old_functions ? "functions" : "tools",
                      "expected objects with a function that has a name");
        Json& inner = tool.contains("function") ? tool["function"] : tool;
        if (inner.contains("parameters") && inner["parameters"].is_null())
            inner.erase("parameters");
    }
    return all;
}

void read_tools(BodyReader& body, ChatQuestion& question) {
    Json tools = tools_in(body, question);
    const Json* asked = body.take(question.old_functions ? "function_call" : "tool_choice");
    const Json* several = body.take("parallel_tool_calls");
    question.one_call = several && *several == false;
    Json choice = asked ? *asked : Json("auto");
    const auto keep = [&](const auto& is_wanted) {
        Json kept = Json::array();
        for (const Json& tool : tools)
            if (is_wanted(name_of_tool(tool))) kept.push_back(tool);
        if (kept.empty())
            body.fail("tool_choice",
                      tools.empty() ? "there are no tools to choose from"
                                    : "expected auto, none, required or the name of one of the "
                                      "tools");
        tools = kept;
    };
    if (choice.is_object() && choice.value("type", Json()) == "allowed_tools") {
        // Chat completions nest what they allow, responses do not.
        const Json allowed = choice.value("allowed_tools", choice);
        const Json listed = allowed.value("tools", Json::array());
        keep([&](const std::string& name) {
            return std::any_of(listed.begin(), listed.end(),
                               [&](const Json& t) { return name_of_tool(t) == name; });
        });
        choice = allowed.value("mode", Json("auto"));
    } else if (choice.is_object()) {
        if (member(choice, "type").is_string() && name_of_tool(choice).empty())
            choice = choice["type"];  // {"type": "auto"}
        else {
            keep([&, name = name_of_tool(choice)](const std::string& n) { return n == name; });
            choice = "required";
        }
    }
    if (choice == "any") choice = "required";
    if (choice == "required") keep([](const std::string&) { return true; });
    else if (choice != "auto" && choice != "none")
        body.fail("tool_choice", "expected auto, none, required or the name of one of the tools");
    if (tools.empty() || choice == "none") return;
    for (const Json& tool : tools) question.tool_names.insert(name_of_tool(tool));
    question.told_tools = json_text(tools);
    if (choice == "required") question.tools = question.told_tools;
}

// What the model's template may know: enable_thinking and the like.
std::string variables_in(BodyReader& body) {
    Json variables = Json::object();
    if (const Json* given = body.take("chat_template_kwargs")) {
        if (!given->is_object()) body.fail("chat_template_kwargs", "expected an object");
        variables = *given;
    }
    if (const Json* effort = body.take("reasoning_effort")) variables["reasoning_effort"] = *effort;
    return variables.empty() ? "" : json_text(variables);
}

}  // namespace

void read_response_format(BodyReader& body, ChatQuestion& question) {
    const Json* format = body.take("response_format");
    if (!format) return;
    BodyReader reader(*format, "response_format");
    const std::string type = reader.text("type").value_or("text");
    const Json *named = reader.take("json_schema"), *schema = reader.take("schema");
    if (type == "json_object" && !schema && !named) {
        question.schema = R"({"type":"object"})";
        question.open = true;
    } else if (type == "json_object" || type == "json_schema") {
        if (!named && !schema) reader.fail("json_schema", "expected an object with a schema");
        if (named) {
            BodyReader inner(*named, "response_format.json_schema");
            question.strict = inner.flag("strict");
            schema = inner.take("schema");
            if (!schema || !schema->is_object()) inner.fail("schema", "expected a JSON Schema");
        }
        if (!schema->is_object()) reader.fail("schema", "expected a JSON Schema");
        question.schema = json_text(*schema);
    } else if (type != "text") {
        reader.fail("type", "expected text, json_object or json_schema");
    }
}

std::string ChatQuestion::in_lines() const {
    std::string system, turns;
    for (const ChatMessage& message : messages) {
        std::string text = message.content;
        if (!message.more.empty()) {
            const Json more = json_value(message.more);
            if (more.contains("tool_calls")) text += text_of_calls(more["tool_calls"]);
        }
        text = trimmed(text);
        if (message.role == "system") system += text + "\n\n";
        else if (message.role == "assistant")
            turns += "Assistant:" + (text.empty() ? "" : " " + text) + "\n";
        else turns += "User: " + text + "\n";
    }
    return system + turns + "Assistant:";
}

std::string ChatQuestion::begun_text(bool after_colon) const {
    return after_colon && !begun.empty() ? " " + begun.substr(begun.find_first_not_of(" \t\r\n"))
                                         : begun;
}

namespace {

// The last message may be an answer that is to go on, as vLLM says it of the request, and DeepSeek
// and Mistral of the message.
void read_begun(const Json& last, BodyReader& body, ChatQuestion& question) {
    const bool asked = body.flag("continue_final_message");
    if (!asked && member(last, "prefix") != true) return;
    if (question.messages.back().role != "assistant")
        throw ApiError(400,
                       "messages: only an answer of the assistant can go on, and the last message "
                       "is none",
                       "messages");
    question.begun = question.messages.back().content;
    question.messages.pop_back();
    if (trimmed(question.begun).empty()) question.begun.clear();
    body.take("add_generation_prompt");
}

}  // namespace

ChatQuestion read_chat_question(const Json& messages, BodyReader& body) {
    if (!messages.is_array() || messages.empty())
        throw ApiError(400, "messages: expected a list of at least one message", "messages");
    ChatQuestion question;
    for (std::size_t i = 0; i < messages.size(); ++i)
        question.messages.push_back(message_in(messages[i], "messages[" + std::to_string(i) + "]"));
    read_begun(messages.back(), body, question);
    read_response_format(body, question);
    read_tools(body, question);
    if (!question.tools.empty()) {  // a call that must be leaves no content to hold to a format
        question.schema.clear();
        question.strict = question.open = false;
    }
    question.variables = variables_in(body);
    return question;
}

}  // namespace tbt
