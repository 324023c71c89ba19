#include "chapters/26_serving/server/body.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "lib/grammar/automata/numbers.hpp"
#include "lib/json/json.hpp"

namespace tbt {

namespace {

// An object of the library that keeps its order looks through all of it for each new member.
bool has_large_object(const Json& json) {
    constexpr std::size_t max_members = 4096;
    if (json.is_object() && json.size() > max_members) return true;
    return json.is_structured() && std::any_of(json.begin(), json.end(), has_large_object);
}

// JSON may spell half of a pair of UTF-16; no text has it, so it is read as U+FFFD.
std::string with_whole_pairs(std::string text) {
    const auto unit = [&](std::size_t at) {
        return text.compare(at, 2, "\\u") == 0 && at + 6 <= text.size()
                   ? std::strtoul(text.substr(at + 2, 4).c_str(), nullptr, 16)
                   : 0;
    };
    for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos;) {
        const unsigned long first = unit(at);
        const bool high = first >= 0xd800 && first < 0xdc00,
                   low = first >= 0xdc00 && first < 0xe000;
        const unsigned long next = high ? unit(at + 6) : 0;
        const bool whole = next >= 0xdc00 && next < 0xe000;
        if ((high && !whole) || low) text.replace(at, 6, "\\ufffd");
        at += whole ? 12 : first != 0 ? 6 : 2;
    }
    return text;
}

int count_numbers(const Json& json) {
    int n = json.is_number() ? 1 : 0;
    if (json.is_array())
        for (const Json& item : json) n += count_numbers(item);
    if (json.is_object())
        for (const auto& [key, value] : json.items()) n += count_numbers(value);
    return n;
}

// A number of a schema must not be enforced as another one, to which it was rounded.
void refuse_rounded(const std::string& body, const Json& json) {
    static const std::set<std::string> forms = {
        "guided_json", "json_schema", "structured_outputs", "response_format", "format", "text"};
    if (!json.is_object()) return;
    const auto holds = [&](const std::string& name) {
        const bool tools = name == "tools" || name == "functions";
        const Json& choice = member(json, name == "tools" ? "tool_choice" : "function_call");
        return forms.contains(name) || (tools && !choice.is_null() && choice != "auto");
    };
    std::map<int, std::string> rounded;
    int before = 0;  // numbers
    for (const auto& [name, value] : json.items()) {
        const int first = std::exchange(before, before + count_numbers(value));
        if (!value.is_structured() || !holds(name)) continue;
        if (rounded.empty()) rounded = inexact_numbers(body);
        if (rounded.empty()) return;
        const auto found = rounded.lower_bound(first);
        if (found == rounded.end() || found->first >= before) continue;
        throw ApiError(422,
                       name + ": '" + found->second.substr(0, 64) +
                           "' has more digits than a double holds; use at most 15",
                       name);
    }
}

}  // namespace

std::string ApiError::json() const {
    const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    const char* type = status == 401   ? "authentication_error"
                       : status == 429 ? "rate_limit_error"
                       : status >= 500 ? "server_error"
                                       : "invalid_request_error";
    return json_text(Json{{"error",
                           {{"message", what()},
                            {"type", type},
                            {"param", or_null(param)},
                            {"code", or_null(code)}}}});
}

Json read_body(const std::string& given) {
    const std::string body = with_whole_pairs(given);
    try {
        if (has_large_object(parse_json(body, "body")))
            throw Error("body: an object has more than 4096 members");
    } catch (const Error& error) {
        throw ApiError(400, error.what(), "", "invalid_json");
    }
    Json json = json_value(body);
    if (!json.is_object()) throw ApiError(400, "body: expected a JSON object", "", "invalid_json");
    refuse_rounded(body, json);
    return json;
}

const Json& member(const Json& json, const char* name) {
    static const Json none;
    const auto at = json.is_object() ? json.find(name) : json.end();
    return at == json.end() ? none : *at;
}

std::string text_or(const Json& json, const char* name, const std::string& otherwise) {
    const Json& text = member(json, name);
    return text.is_string() ? text.text() : otherwise;
}

std::vector<int> read_ids(const Json& list, const std::string& name, int vocab_size) {
    if (!list.is_array()) throw ApiError(400, name + ": expected a list of token ids", name);
    std::vector<int> ids;
    for (const Json& id : list) {
        if (!id.is_number_integer() || !is_integer(Json(id), 0, vocab_size - 1))
            throw ApiError(400,
                           name + ": " + json_text(id).substr(0, 32) +
                               " is not a token, expected an id from 0 to " +
                               std::to_string(vocab_size - 1),
                           name);
        ids.push_back(id.get<int>());
    }
    return ids;
}

BodyReader::BodyReader(const Json& object, std::string name)
    : object_(&object), name_(std::move(name)) {
    if (!object.is_object()) fail("", "expected an object");
}

const Json* BodyReader::take(const std::string& name) {
    const auto at = object_->find(name);
    if (at == object_->end()) return nullptr;
    taken_.insert(name);
    return at->is_null() ? nullptr : &*at;
}

bool BodyReader::flag(const std::string& name, bool otherwise) {
    const Json* value = take(name);
    if (value && !value->is_boolean()) fail(name, "expected true or false");
    return value ? value->get<bool>() : otherwise;
}

std::optional<std::string> BodyReader::text(const std::string& name) {
    const Json* value = take(name);
    if (!value) return std::nullopt;
    if (!value->is_string()) fail(name, "expected a string");
    return value->get<std::string>();
}

int BodyReader::integer(const std::string& name, int otherwise, int least, int most) {
    const Json* value = take(name);
    if (!value) return otherwise;
    // 16.0 is 16.
    const double number = value->is_number() ? value->get<double>() : least - 1.0;
    if (!(number >= least && number <= most) || number != static_cast<int>(number))
        fail(name, "expected a whole number from " + std::to_string(least) + " to " +
                       std::to_string(most));
    return static_cast<int>(number);
}

std::vector<std::pair<std::string, Json>> BodyReader::rest() const {
    std::vector<std::pair<std::string, Json>> members;
    for (const auto& [name, value] : object_->items())
        if (!taken_.contains(name)) members.emplace_back(name, value);
    return members;
}

void BodyReader::refuse_rest() const {
    for (const auto& [name, value] : rest()) fail(name, "there is no such parameter");
}

void BodyReader::fail(const std::string& name, const std::string& why) const {
    const std::string at = name_ + (name_.empty() || name.empty() ? "" : ".") + name;
    throw ApiError(400, at.substr(0, 128) + ": " + why, at.substr(0, 128));
}

}  // namespace tbt
