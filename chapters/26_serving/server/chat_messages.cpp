#include "chapters/26_serving/server/chat_messages.hpp"

#include "chapters/10_generate/chat.hpp"
#include "chapters/23_text_generator/writing.hpp"

namespace tbt {

namespace {

std::string content_of(const OrderedJson& content, const BodyReader& message) {
    if (content.is_string()) return content.get<std::string>();
    if (!content.is_array()) message.fail("content", "expected a string, or a list of text parts");
    std::string text;
    for (const OrderedJson& part : content) {
        if (!part.is_object() || part.value("type", OrderedJson()) != "text" ||
            !part.contains("text") || !part["text"].is_string())
            message.fail("content", "expected parts of type text; this model reads nothing else");
        text += part["text"].get<std::string>();
    }
    return text;
}

// Calls in earlier answers, as the model wrote them.
std::string calls_in(const OrderedJson& calls, const BodyReader& message) {
    std::string text;
    if (!calls.is_array()) message.fail("tool_calls", "expected a list");
    for (const OrderedJson& call : calls) {
        const auto function = call.is_object() ? call.find("function") : call.end();
        if (!call.is_object() || function == call.end() || !function->is_object() ||
            !function->contains("name") || !function->contains("arguments") ||
            !(*function)["arguments"].is_string())
            message.fail("tool_calls", "expected function.name and function.arguments");
        const OrderedJson arguments =
            ordered_json_value((*function)["arguments"].get<std::string>());
        text += json_text(OrderedJson{
            {"name", (*function)["name"]},
            {"arguments", arguments.is_discarded() ? (*function)["arguments"] : arguments}});
    }
    return text;
}

std::vector<ChatMessage> messages_in(const OrderedJson& messages) {
    if (!messages.is_array() || messages.empty())
        throw ApiError(400, "messages: expected a list of at least one message", "messages");
    std::vector<ChatMessage> read;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        BodyReader message(messages[i], "messages[" + std::to_string(i) + "]");
        std::string role = message.text("role").value_or("");
        const OrderedJson* content = message.take("content");
        const OrderedJson* calls = message.take("tool_calls");
        for (const char* unused : {"name", "tool_call_id", "refusal", "audio", "annotations"})
            message.take(unused);
        message.refuse_rest();
        if (!content && !calls) message.fail("content", "expected a string");
        if (role == "developer") role = "system";
        if (role != "system" && role != "user" && role != "assistant" && role != "tool")
            message.fail("role", "expected system, user, assistant or tool");
        read.push_back({role, content ? content_of(*content, message) : std::string(), ""});
        if (!calls) continue;
        calls_in(*calls, message);
        read.back().more = json_text(OrderedJson{{"tool_calls", *calls}});
    }
    return read;
}

void read_response_format(BodyReader& body, ChatQuestion& question) {
    const OrderedJson* format = body.take("response_format");
    if (!format) return;
    BodyReader reader(*format, "response_format");
    const std::string type = reader.text("type").value_or("");
    if (type == "json_object") {
        question.schema = R"({"type":"object"})";
        question.open = true;
    } else if (type == "json_schema") {
        const OrderedJson* named = reader.take("json_schema");
        if (!named) reader.fail("json_schema", "expected an object with a schema");
        BodyReader inner(*named, "response_format.json_schema");
        for (const char* unused : {"name", "description"}) inner.text(unused);
        question.strict = inner.flag("strict");
        const OrderedJson* schema = inner.take("schema");
        if (!schema || !schema->is_object()) inner.fail("schema", "expected a JSON Schema");
        question.schema = json_text(*schema);
        inner.refuse_rest();
    } else if (type != "text") {
        reader.fail("type", "expected text, json_object or json_schema");
    }
    reader.refuse_rest();
}

std::string name_of_tool(const OrderedJson& tool) {
    if (!tool.is_object()) return "";
    const OrderedJson& inner =
        tool.contains("function") && tool["function"].is_object() ? tool["function"] : tool;
    const auto name = inner.find("name");
    return name != inner.end() && name->is_string() ? name->get<std::string>() : "";
}

void read_tools(BodyReader& body, ChatQuestion& question) {
    const OrderedJson* tools = body.take("tools");
    const OrderedJson* choice = body.take("tool_choice");
    body.flag("parallel_tool_calls");  // an answer is one call
    const bool none = choice && *choice == "none";
    if (tools && !tools->is_array()) body.fail("tools", "expected a list");
    if (!tools || tools->empty()) {
        if (choice && !none && *choice != "auto")
            body.fail("tool_choice", "there are no tools to choose from");
        return;
    }
    for (const OrderedJson& tool : *tools)
        if (name_of_tool(tool).empty())
            body.fail("tools", "expected objects with a function that has a name");
    if (none) return;
    question.may_call = true;
    question.told_tools = json_text(*tools);
    if (!choice || *choice == "auto") return;
    if (*choice == "required") {
        question.tools = json_text(*tools);
        return;
    }
    const std::string wanted = name_of_tool(*choice);
    for (const OrderedJson& tool : *tools)
        if (!wanted.empty() && name_of_tool(tool) == wanted)
            question.tools = json_text(OrderedJson::array({tool}));
    if (question.tools.empty())
        body.fail("tool_choice", "expected auto, none, required or the name of one of the tools");
}

}  // namespace

void ChatQuestion::hold(GuideRequest& guide) const {
    guide.schema = schema, guide.tools = tools, guide.strict = strict, guide.open = open;
}

std::string ChatQuestion::in_lines() const {
    std::string system, turns;
    for (const ChatMessage& message : messages) {
        std::string text = message.content;
        if (!message.more.empty()) {
            const OrderedJson more = ordered_json_value(message.more);
            text += calls_in(more["tool_calls"], BodyReader(more));
        }
        text = trimmed(text);
        if (message.role == "system") system += text + "\n\n";
        else if (message.role == "assistant")
            turns += "Assistant:" + (text.empty() ? "" : " " + text) + "\n";
        else turns += "User: " + text + "\n";
    }
    return system + turns + "Assistant:";
}

ChatQuestion read_chat_question(const OrderedJson& messages, BodyReader& body) {
    ChatQuestion question;
    question.messages = messages_in(messages);
    read_response_format(body, question);
    read_tools(body, question);
    return question;
}

TextOptions for_answers(TextOptions options) {
    options.max_new_tokens = -1;
    return options;
}

TextOptions with_answers_temperature(TextOptions options) { return for_chat(std::move(options)); }

}  // namespace tbt
