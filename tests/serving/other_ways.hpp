// A request of /v1 in the words of the other interfaces, and what their answers say, in /v1's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/json/json.hpp"

namespace tbt::test {

struct OtherWay {
    const char* path;
    bool chat;
    Json (*body)(Json body);           // of a body of /v1 that asks for one text
    Json (*choice)(const Json& part);  // what an answer, or an event of a stream, tells of the text
};

inline void rename(Json& body, const char* from, const char* to) {
    if (!body.contains(from)) return;
    body[to] = body[from];
    body.erase(from);
}

inline Json choice(const std::string& text, const Json& end) {
    static const std::map<std::string, std::string> reasons = {
        {"completed", "stop"}, {"incomplete", "length"},  {"end_turn", "stop"},
        {"eos", "stop"},       {"stop_sequence", "stop"}, {"max_tokens", "length"},
        {"word", "stop"},      {"limit", "length"},       {"tool_use", "tool_calls"}};
    Json reason = end;
    if (const auto at = end.is_string() ? reasons.find(end) : reasons.end(); at != reasons.end())
        reason = at->second;
    return {{"index", 0}, {"text", text}, {"logprobs", nullptr}, {"finish_reason", reason}};
}

inline std::string call_text(const Json& name, const std::string& arguments) {
    return json_text(Json{{"name", name}, {"arguments", arguments}});
}

inline Json as_responses(Json body) {
    rename(body, "messages", "input");
    rename(body, "max_tokens", "max_output_tokens");
    if (body.contains("response_format")) body["text"]["format"] = body["response_format"];
    body.erase("response_format");
    if (body.contains("tools"))
        for (Json& tool : body["tools"])
            tool = {{"type", "function"},
                    {"name", tool["function"]["name"]},
                    {"parameters", tool["function"]["parameters"]}};
    return body;
}
inline Json of_responses(const Json& part) {
    const std::string type = part.value("type", "");
    if (type == "response.output_text.delta") return choice(part["delta"], nullptr);
    if (type == "response.function_call_arguments.done")
        return choice(call_text(part["name"], part["arguments"]), nullptr);
    const Json& response = part.contains("response") ? part["response"] : part;
    if (response.value("object", "") != "response" || response["status"] == "in_progress")
        return nullptr;
    const Json& item = response["output"][0];
    const bool call = item["type"] == "function_call", whole = !part.contains("response");
    const std::string text = call ? call_text(item["name"], item["arguments"])
                                  : item["content"][0]["text"].get<std::string>();
    return choice(whole ? text : "", call ? Json("tool_calls") : response["status"]);
}

inline Json as_messages(Json body) {
    rename(body, "stop", "stop_sequences");
    if (!body.contains("tools")) return body;
    for (Json& tool : body["tools"])
        tool = {{"name", tool["function"]["name"]},
                {"input_schema", tool["function"]["parameters"]}};
    body["tool_choice"] = {{"type", "any"}};
    return body;
}
inline Json of_messages(const Json& part) {
    if (part["type"] == "message") {
        const Json& content = part["content"][0];
        return choice(content["type"] == "tool_use"
                          ? call_text(content["name"], json_text(content["input"]))
                          : content["text"].get<std::string>(),
                      part["stop_reason"]);
    }
    // A call comes in two events: its name, then its arguments.
    if (part["type"] == "content_block_start" && part["content_block"].contains("name"))
        return choice("{\"name\":" + json_text(part["content_block"]["name"]) + ",\"arguments\":",
                      nullptr);
    if (!part.contains("delta")) return nullptr;
    const Json& delta = part["delta"];
    return choice(delta.contains("partial_json") ? json_text(delta["partial_json"]) + "}"
                                                 : delta.value("text", ""),
                  delta.contains("stop_reason") ? delta["stop_reason"] : Json());
}

inline Json as_ollama(Json body) {
    Json asked = Json::object();
    rename(body, "max_tokens", "num_predict");
    rename(body, "repetition_penalty", "repeat_penalty");
    if (body.contains("response_format")) asked["format"] = "json";
    if (body.contains("json_schema")) asked["format"] = body["json_schema"];
    body.erase("response_format"), body.erase("json_schema");
    for (const char* name : {"messages", "prompt", "stream", "tools", "logprobs", "top_logprobs"})
        if (body.contains(name)) asked[name] = body[name], body.erase(name);
    asked["options"] = body;
    return asked;
}
inline Json of_ollama(const Json& part) {
    const bool chat = part.contains("message"), ends = part["done"] == true;
    const Json end = ends ? part["done_reason"] : Json();
    if (!chat) return choice(part["response"], end);
    const Json& message = part["message"];
    if (!message.contains("tool_calls")) return choice(message["content"], end);
    const Json& call = message["tool_calls"][0]["function"];
    return choice(call_text(call["name"], json_text(call["arguments"])), "tool_calls");
}

inline Json as_llama(Json body) {
    rename(body, "max_tokens", "n_predict");
    rename(body, "repetition_penalty", "repeat_penalty");
    return body;
}
inline Json of_llama(const Json& part) {
    return choice(part["content"], part["stop"] == true ? part["stop_type"] : Json());
}

inline const std::vector<OtherWay>& other_ways() {
    static const std::vector<OtherWay> all = {{"/v1/responses", true, as_responses, of_responses},
                                              {"/v1/messages", true, as_messages, of_messages},
                                              {"/api/chat", true, as_ollama, of_ollama},
                                              {"/api/generate", false, as_ollama, of_ollama},
                                              {"/completion", false, as_llama, of_llama}};
    return all;
}

}  // namespace tbt::test
