#include "chapters/26_serving/server/responses.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "lib/json/json.hpp"

namespace tbt {

void KeptResponses::keep(const std::string& id, std::string messages) {
    const std::lock_guard lock(mutex_);
    bytes_ += messages.size();
    kept_.emplace_back(id, std::move(messages));
    while (kept_.size() > most_ || bytes_ > most_bytes) {
        bytes_ -= kept_.front().second.size();
        kept_.pop_front();
    }
}

std::string KeptResponses::messages_of(const std::string& id, const ApiError& otherwise) {
    const std::lock_guard lock(mutex_);
    for (const auto& [one, messages] : kept_)
        if (one == id) return messages;
    throw ApiError(otherwise.status,
                   otherwise.param + ": this server keeps the last " + std::to_string(most_) +
                       " answers, and " + otherwise.what() + " is not among them",
                   otherwise.param, otherwise.code);
}

namespace {

Json tool_message(const Json& id, const Json& content) {
    return {{"role", "tool"}, {"tool_call_id", id}, {"content", content}};
}

Json function_call(const Json& id, const Json& name, const std::string& arguments) {
    return {
        {"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
}

std::string sse(const char* name, const Json& data) {
    return "event: " + std::string(name) + "\ndata: " + json_text(data) + "\n\n";
}

// ---- Responses ----------------------------------------------------------------------------------

// The message of an item of an earlier answer: "msg_X" or "fc_X" is the last one of resp_X,
// "msg_X_1" the one before it.
Json message_of(const std::string& id, KeptResponses& kept) {
    const std::string of = id.substr(id.find('_') + 1);
    const std::size_t end = std::min(of.find('_'), of.size());
    const Json messages = json_value(kept.messages_of(
        "resp_" + of.substr(0, end), ApiError(404, "the item referred to", "input")));
    const std::size_t after =
        end == of.size() ? 0 : std::strtoul(of.c_str() + end + 1, nullptr, 10);
    return messages[messages.size() - 1 - std::min(after, messages.size() - 1)];
}

// The items of an input, as messages of a chat. places: which item each message is.
void add_items(const Json& input, Json& messages, KeptResponses& kept,
               std::vector<std::string>* places = nullptr) {
    std::set<std::string> referred;
    if (input.is_string()) return messages.push_back({{"role", "user"}, {"content", input}});
    if (!input.is_array())
        throw ApiError(400, "input: expected a string, or a list of items", "input");
    std::size_t number = 0;
    for (const Json& item : input) {
        const std::string type = text_or(item, "type", "message");
        if (type == "message")
            messages.push_back(
                {{"role", member(item, "role")}, {"content", member(item, "content")}});
        else if (type == "function_call")
            messages.push_back(
                {{"role", "assistant"},
                 {"content", nullptr},
                 {"tool_calls",
                  Json::array({function_call(text_or(item, "call_id", ""), member(item, "name"),
                                             text_or(item, "arguments", "{}"))})}});
        else if (type == "function_call_output")
            messages.push_back(tool_message(member(item, "call_id"), member(item, "output")));
        else if (type == "item_reference") {
            const std::string id = text_or(item, "id", "");
            if (!referred.insert(id).second)
                throw ApiError(400, "input: an item is referred to twice", "input");
            messages.push_back(message_of(id, kept));
        } else if (type != "reasoning")
            throw ApiError(400, "input: this server has no items of type " + type.substr(0, 40),
                           "input");
        if (places) places->resize(messages.size(), "input[" + std::to_string(number) + "]");
        ++number;
    }
}

Json format_of(const Json& text) {
    const Json& format = member(text, "format");
    if (member(format, "type") != "json_schema") return format;
    return {{"type", "json_schema"},
            {"json_schema",
             {{"schema", member(format, "schema")}, {"strict", member(format, "strict")}}}};
}

Json tools_of(const Json& given) {
    Json tools = Json::array();
    if (!given.is_array()) return given;
    for (const Json& tool : given) {
        if (member(tool, "type") != "function")
            throw ApiError(400, "tools: this server has tools of type function only", "tools");
        Json function = tool;
        function.erase("type");
        tools.push_back({{"type", "function"}, {"function", std::move(function)}});
    }
    return tools;
}

class ResponsesAnswer : public ApiAnswer {
public:
    ResponsesAnswer(const ApiRequest& request, const ServedModel& model, const std::string& id,
                    Json body, Json messages, std::shared_ptr<KeptResponses> kept)
        : ApiAnswer(request, model, id),
          body_(std::move(body)),
          messages_(std::move(messages)),
          kept_(std::move(kept)) {}

    std::string begin() override {
        const Json response = object("in_progress", Json::array());
        std::string events = event_of("response.created", {{"response", response}});  // in order
        return events += event_of("response.in_progress", {{"response", response}});
    }
    std::string end() override { return end_; }
    std::string whole() const override {
        const Json output = items();
        keep(output);
        return json_text(object(status(), output));
    }

private:
    // after: so many items come after it.
    std::string name(const char* kind, std::size_t after = 0) const {
        return kind + id_ + (after == 0 ? "" : "_" + std::to_string(after));
    }
    const char* status() const { return cut_off(only()) ? "incomplete" : "completed"; }

    Json object(const std::string& status, const Json& output) const {
        const auto given = [&](const char* name, const Json& otherwise) {
            const Json& value = member(body_, name);
            return value.is_null() ? otherwise : value;
        };
        const SamplingOptions sampling = sampling_of(request_->job->options);
        Json all = {{"id", name("resp_")},
                    {"object", "response"},
                    {"created_at", created_},
                    {"status", status},
                    {"error", nullptr},
                    {"incomplete_details",
                     status == "incomplete" ? Json{{"reason", "max_output_tokens"}} : Json()},
                    {"instructions", member(body_, "instructions")},
                    {"max_output_tokens", member(body_, "max_output_tokens")},
                    {"model", model_->name},
                    {"output", output},
                    {"parallel_tool_calls", given("parallel_tool_calls", true)},
                    {"previous_response_id", member(body_, "previous_response_id")},
                    {"reasoning", {{"effort", nullptr}, {"summary", nullptr}}},
                    {"store", given("store", true)},
                    {"temperature", sampling.temperature},
                    {"text", given("text", {{"format", {{"type", "text"}}}})},
                    {"tool_choice", given("tool_choice", "auto")},
                    {"tools", given("tools", Json::array())},
                    {"top_p", sampling.top_p},
                    {"truncation", "disabled"},
                    {"metadata", given("metadata", Json::object())},
                    {"seed", request_->seed()},
                    {"usage", nullptr}};
        if (status != "in_progress")
            all["usage"] = {{"input_tokens", prompt_tokens()},
                            {"input_tokens_details", {{"cached_tokens", cached_tokens()}}},
                            {"output_tokens", completion_tokens()},
                            {"output_tokens_details", {{"reasoning_tokens", 0}}},
                            {"total_tokens", prompt_tokens() + completion_tokens()}};
        return all;
    }
    Json part(const std::string& text) const {
        return {{"type", "output_text"},
                {"text", text},
                {"annotations", Json::array()},
                {"logprobs", Json::array()}};
    }
    Json message(const std::string& id, const char* status, const Json& content) const {
        return {{"type", "message"},
                {"id", id},
                {"status", status},
                {"role", "assistant"},
                {"content", content}};
    }
    // The message of the answer, if it has one, and its calls.
    Json items() const {
        const AnswerText said = answer_of(only());
        const std::size_t calls = said.calls.size();
        Json all = Json::array();
        if (!said.calls_only())
            all.push_back(
                message(name("msg_", calls), status(), Json::array({part(said.content)})));
        for (std::size_t i = 0; i < calls; ++i)
            all.push_back({{"type", "function_call"},
                           {"id", name("fc_", calls - 1 - i)},
                           {"call_id", call_id(0, i)},
                           {"name", said.calls[i].name},
                           {"arguments", said.calls[i].arguments},
                           {"status", "completed"}});
        return all;
    }
    void keep(const Json& output) const {
        if (member(body_, "store") == false) return;
        Json messages = messages_;
        add_items(output, messages, *kept_);
        kept_->keep(name("resp_"), json_text(messages));
    }
    std::string event_of(const char* type, const Json& more) {
        Json data = {{"type", type}, {"sequence_number", sequence_++}};
        data.update(more);
        return sse(type, data);
    }
    // place: of the item in the output.
    std::string in_item(const char* type, const Json& id, std::size_t place, Json more) {
        Json all = {{"item_id", id}, {"output_index", place}};
        all.update(more);
        return event_of(type, all);
    }
    std::string in_text(const char* type, const std::string& id, Json more) {
        Json all = {{"content_index", 0}};
        all.update(more);
        return in_item(type, id, 0, all);
    }
    std::string open_text(const std::string& id) {
        if (std::exchange(open_, true)) return "";
        std::string events =
            event_of("response.output_item.added",
                     {{"output_index", 0}, {"item", message(id, "in_progress", Json::array())}});
        return events += in_text("response.content_part.added", id, {{"part", part("")}});
    }
    std::string close_text(const Json& item) {
        const Json& part = item["content"][0];
        std::string events = in_text("response.output_text.done", item["id"],
                                     {{"text", part["text"]}, {"logprobs", Json::array()}});
        return events += in_text("response.content_part.done", item["id"], {{"part", part}});
    }
    std::string call_events(const Json& item, std::size_t place) {
        Json begun = item;
        begun["arguments"] = "", begun["status"] = "in_progress";
        std::string events = event_of("response.output_item.added",
                                      {{"output_index", place}, {"item", std::move(begun)}});
        events += in_item("response.function_call_arguments.delta", item["id"], place,
                          {{"delta", item["arguments"]}});
        return events += in_item("response.function_call_arguments.done", item["id"], place,
                                 {{"name", item["name"]}, {"arguments", item["arguments"]}});
    }
    std::string event(Choice& choice, const std::string& shown, const ToolCalls& calls) override {
        std::string events;
        const std::string id = name("msg_", calls.size());
        if (calls.empty() || !shown.empty()) events = open_text(id);
        if (!shown.empty())
            events += in_text("response.output_text.delta", id,
                              {{"delta", shown}, {"logprobs", Json::array()}});
        if (!choice.ended) return events;
        const Json output = items();
        for (std::size_t place = 0; place < output.size(); ++place) {
            const Json& item = output[place];
            events += item["type"] == "message" ? close_text(item) : call_events(item, place);
            events +=
                event_of("response.output_item.done", {{"output_index", place}, {"item", item}});
        }
        keep(output);
        const std::string last = std::string("response.") + status();
        end_ = event_of(last.c_str(), {{"response", object(status(), output)}});
        return events;
    }
    std::string error_event(const ApiError& error) const override {
        return sse("error", {{"type", "error"},
                             {"sequence_number", sequence_},
                             {"code", "server_error"},
                             {"message", error.what()},
                             {"param", nullptr}});
    }

    Json body_, messages_;
    std::shared_ptr<KeptResponses> kept_;
    int sequence_ = 0;
    bool open_ = false;
    std::string end_;
};

// ---- Messages -----------------------------------------------------------------------------------

// The text of blocks.
Json text_blocks(const Json& content) {
    if (!content.is_array()) return content;
    Json texts = Json::array();
    for (const Json& block : content)
        if (member(block, "type") != "thinking" && member(block, "type") != "redacted_thinking")
            texts.push_back(block);
    return texts;
}

void add_message(const Json& message, Json& messages) {
    const Json& content = member(message, "content");
    Json rest = Json::array(), calls = Json::array();
    if (content.is_array())
        for (const Json& block : content) {
            if (member(block, "type") == "tool_use")
                calls.push_back(function_call(member(block, "id"), member(block, "name"),
                                              json_text(member(block, "input"))));
            else if (member(block, "type") == "tool_result")
                messages.push_back(tool_message(member(block, "tool_use_id"),
                                                text_blocks(member(block, "content"))));
            else rest.push_back(block);
        }
    if (content.is_array() && rest.empty() && calls.empty()) return;  // results alone
    Json one = {{"role", member(message, "role")},
                {"content", content.is_array() ? text_blocks(rest) : content}};
    if (!calls.empty()) one["tool_calls"] = calls;
    messages.push_back(std::move(one));
}

class MessagesAnswer : public ApiAnswer {
public:
    MessagesAnswer(const ApiRequest& request, const ServedModel& model, const std::string& id,
                   std::size_t stops)
        : ApiAnswer(request, model, id), stops_(stops) {}

    std::string begin() override {
        return sse("message_start", {{"type", "message_start"},
                                     {"message", object(Json::array(), nullptr, nullptr)}});
    }
    std::string end() override { return sse("message_stop", {{"type", "message_stop"}}); }
    std::string whole() const override {
        const AnswerText said = answer_of(only());
        Json content = Json::array();
        if (!said.calls_only()) content.push_back({{"type", "text"}, {"text", said.content}});
        for (std::size_t i = 0; i < said.calls.size(); ++i)
            content.push_back(tool_use(said.calls[i], i, json_value(said.calls[i].arguments)));
        return json_text(object(content, reason(!said.calls.empty()), stop()));
    }

private:
    Json usage() const {
        return {{"input_tokens", prompt_tokens() - cached_tokens()},
                {"cache_creation_input_tokens", 0},
                {"cache_read_input_tokens", cached_tokens()},
                {"output_tokens", completion_tokens()}};
    }
    Json object(const Json& content, const Json& why, const Json& stopped) const {
        return {{"id", "msg_" + id_},       {"type", "message"},  {"role", "assistant"},
                {"model", model_->name},    {"content", content}, {"stop_reason", why},
                {"stop_sequence", stopped}, {"usage", usage()}};
    }
    // The client's own stop strings come first.
    Json stop() const {
        const GeneratedText& text = only().ended->text;
        if (text.reason != FinishReason::stop_string || index(text.stop_string) >= stops_)
            return nullptr;
        return request_->job->options.stop_strings[index(text.stop_string)];
    }
    Json reason(bool call) const {
        if (call) return "tool_use";
        if (!stop().is_null()) return "stop_sequence";
        return cut_off(only()) ? "max_tokens" : "end_turn";
    }
    Json tool_use(const ToolCall& call, std::size_t number, const Json& input) const {
        return {{"type", "tool_use"},
                {"id", call_id(0, number)},
                {"name", call.name},
                {"input", input}};
    }
    static std::string block(const char* type, std::size_t place, Json more = Json::object()) {
        Json data = {{"type", type}, {"index", place}};
        data.update(more);
        return sse(type, data);
    }
    std::string event(Choice& choice, const std::string& shown, const ToolCalls& calls) override {
        std::string events;
        if ((calls.empty() || !shown.empty()) && !std::exchange(open_, true))
            events = block("content_block_start", 0,
                           {{"content_block", {{"type", "text"}, {"text", ""}}}});
        if (!shown.empty())
            events += block("content_block_delta", 0,
                            {{"delta", {{"type", "text_delta"}, {"text", shown}}}});
        if (!choice.ended) return events;
        if (open_) events += block("content_block_stop", 0);
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const std::size_t place = i + open_;
            events += block("content_block_start", place,
                            {{"content_block", tool_use(calls[i], i, Json::object())}});
            events += block(
                "content_block_delta", place,
                {{"delta", {{"type", "input_json_delta"}, {"partial_json", calls[i].arguments}}}});
            events += block("content_block_stop", place);
        }
        return events +
               sse("message_delta",
                   {{"type", "message_delta"},
                    {"delta", {{"stop_reason", reason(!calls.empty())}, {"stop_sequence", stop()}}},
                    {"usage", usage()}});
    }
    std::string error_event(const ApiError& error) const override {
        return "event: error\ndata: " + messages_error(error) + "\n\n";
    }

    std::size_t stops_;
    bool open_ = false;
};

}  // namespace

TranslatedRequest translated_responses(const Json& body,
                                       const std::shared_ptr<KeptResponses>& kept) {
    static const std::set<std::string> read = {"input",      "instructions",         "text",
                                               "tools",      "previous_response_id", "prompt",
                                               "background", "conversation",         "reasoning"};
    static const std::set<std::string> nothing = {"include", "truncation", "max_tool_calls",
                                                  "stream_options", "top_logprobs"};
    for (const char* name : {"background", "prompt", "conversation"})
        if (const Json& value = member(body, name); !value.is_null() && value != false)
            throw ApiError(400, std::string(name) + ": this server cannot do that", name);
    Json messages = Json::array();
    TranslatedRequest asked;
    Json chat = members_besides(body, read, nothing, asked);
    if (const Json& before = member(body, "previous_response_id"); before.is_string())
        messages = json_value(kept->messages_of(
            before.get<std::string>(),
            ApiError(400, "this one", "previous_response_id", "previous_response_not_found")));
    asked.places.resize(messages.size(), "previous_response_id");
    add_items(member(body, "input"), messages, *kept, &asked.places);
    chat["messages"] = Json::array();
    if (const Json& system = member(body, "instructions"); !system.is_null()) {
        chat["messages"].push_back({{"role", "system"}, {"content", system}});
        asked.places.insert(asked.places.begin(), "instructions");
    }
    // A text and calls are items of one answer, which templates expect as one message.
    for (const Json& message : messages) {
        Json& all = chat["messages"];
        if (!message.contains("tool_calls") || all.empty() ||
            member(all.back(), "role") != "assistant") {
            all.push_back(message);
            continue;
        }
        asked.places.erase(asked.places.begin() + static_cast<std::ptrdiff_t>(all.size()));
        for (const Json& one : message["tool_calls"]) all.back()["tool_calls"].push_back(one);
    }
    if (body.contains("text")) chat["response_format"] = format_of(body["text"]);
    if (body.contains("tools")) chat["tools"] = tools_of(body["tools"]);
    if (const Json& effort = member(member(body, "reasoning"), "effort"); !effort.is_null())
        chat["reasoning_effort"] = effort;
    asked.names = {{"messages", "input"},
                   {"response_format.json_schema", "text.format"},
                   {"response_format", "text.format"},
                   {"json_schema", "text.format"},
                   {"reasoning_effort", "reasoning.effort"}};
    asked.body = json_text(chat);
    asked.form = answer_form<ResponsesAnswer>(body, messages, kept);
    return asked;
}

void go_on_from_last(Json& messages) {
    if (messages.empty()) return;
    Json& last = messages.back();
    if (member(last, "role") == "assistant" && !last.contains("tool_calls")) last["prefix"] = true;
}

namespace {

// Tools of Anthropic's own have a type, and no schema that a model could be told.
Json functions_of(const Json& given) {
    Json tools = Json::array();
    for (const Json& tool : given) {
        const std::string type = text_or(tool, "type", "custom");
        if (type != "custom" && member(tool, "input_schema").is_null())
            throw ApiError(400, "tools: this server has no tool of type " + type.substr(0, 40),
                           "tools");
        tools.push_back({{"type", "function"},
                         {"function",
                          {{"name", member(tool, "name")},
                           {"description", member(tool, "description")},
                           {"parameters", member(tool, "input_schema")}}}});
    }
    return tools;
}

// What holds for the answer: its format, and whether thoughts come first.
void add_format(const Json& body, Json& chat) {
    const Json& config = member(body, "output_config");
    for (const Json* format : {&member(config, "format"), &member(body, "output_format")})
        if (!format->is_null()) chat["response_format"] = format_of(Json{{"format", *format}});
    if (const Json& effort = member(config, "effort"); !effort.is_null())
        chat["reasoning_effort"] = effort;
    if (const std::string type = text_or(member(body, "thinking"), "type", ""); !type.empty())
        chat["chat_template_kwargs"] = {{"enable_thinking", type != "disabled"}};
}

}  // namespace

TranslatedRequest translated_messages(const Json& body) {
    static const std::set<std::string> read = {"messages",      "system",       "stop_sequences",
                                               "tools",         "tool_choice",  "thinking",
                                               "output_config", "output_format"};
    static const std::set<std::string> nothing = {"container", "mcp_servers", "context_management",
                                                  "betas"};
    Json messages = Json::array();
    TranslatedRequest asked;
    Json chat = members_besides(body, read, nothing, asked);
    if (const Json& system = member(body, "system"); !system.is_null()) {
        messages.push_back({{"role", "system"}, {"content", system}});
        asked.places = {"system"};
    }
    if (!member(body, "messages").is_array())
        throw ApiError(400, "messages: expected a list of messages", "messages");
    std::size_t number = 0;
    for (const Json& message : body["messages"]) {
        add_message(message, messages);
        asked.places.resize(messages.size(), "messages[" + std::to_string(number++) + "]");
    }
    go_on_from_last(messages);
    chat["messages"] = messages;
    const Json& stops = member(body, "stop_sequences");
    if (!stops.is_null()) chat["stop"] = stops;
    if (const Json& tools = member(body, "tools"); tools.is_array())
        chat["tools"] = functions_of(tools);
    if (body.contains("tool_choice")) chat["tool_choice"] = body["tool_choice"];
    add_format(body, chat);
    const std::string format =
        member(body, "output_format").is_null() ? "output_config.format" : "output_format";
    asked.names = {{"stop", "stop_sequences"},
                   {"response_format.json_schema", format},
                   {"response_format", format},
                   {"json_schema", format},
                   {"reasoning_effort", "output_config.effort"},
                   {"chat_template_kwargs", "thinking"}};
    asked.body = json_text(chat);
    // An empty one stops nothing.
    const std::size_t count =
        stops.is_array() ? index(std::count_if(stops.begin(), stops.end(),
                                               [](const Json& stop) { return stop != ""; }))
                         : stops.is_string() && stops != "";
    asked.form = answer_form<MessagesAnswer>(count);
    return asked;
}

std::string messages_error(const ApiError& error) {
    const char* type = error.status == 401   ? "authentication_error"
                       : error.status == 403 ? "permission_error"
                       : error.status == 404 ? "not_found_error"
                       : error.status == 413 ? "request_too_large"
                       : error.status == 429 ? "rate_limit_error"
                       : error.status >= 500 ? "api_error"
                                             : "invalid_request_error";
    return json_text(
        Json{{"type", "error"}, {"error", {{"type", type}, {"message", error.what()}}}});
}

}  // namespace tbt
