#include "chapters/16_json_schema/tools.hpp"

#include <array>
#include <map>
#include <set>
#include <string>

#include "lib/core/unicode.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

namespace {

constexpr std::array schema_keys = {"parameters", "input_schema", "inputSchema"};

const std::set<std::string> known_members = {
    "name",         "title",         "description",   "parameters",
    "input_schema", "inputSchema",   "outputSchema",  "type",
    "strict",       "icons",         "annotations",   "execution",
    "_meta",        "cache_control", "defer_loading", "input_examples"};

// The object with the members of a tool, without OpenAI's wrapping if there is one.
const Json& tool_in(const Json& entry, const std::string& place) {
    if (!entry.is_object() || !entry.contains("function")) return entry;
    for (const auto& [key, value] : entry.items()) {
        if (key != "type" && key != "function")
            throw UsageError(place + ": \"" + shown(key) +
                             "\" beside \"function\"; put it inside, with \"name\"");
    }
    return entry.at("function");
}

void check_members(const Json& tool, const std::string& place) {
    if (!tool.is_object() || !tool.contains("name") || !tool.at("name").is_string())
        throw UsageError(place + ": has no \"name\"");
    for (const auto& [key, value] : tool.items()) {
        if (known_members.count(key) == 0 && key.rfind("x-", 0) != 0)
            throw UsageError(place + ": \"" + shown(key) +
                             "\" is not a known member; the schema of the arguments is called "
                             "\"parameters\", \"input_schema\" or \"inputSchema\"");
    }
    const Json type = tool.value("type", Json("function"));
    if (type != "function" && type != "custom")
        throw UsageError(place + ": the type is " + kind_of(Json(type)) +
                         ", expected \"function\" (or \"custom\"): a tool that is called by name");
}

// Gives a tool's schema its own identifier, unless it has one, so that references inside it are
// resolved within it and not in the whole document; and a type, since arguments are an object.
Json with_identifier(Json schema, int tool) {
    if (schema == Json(true)) schema = Json::object();
    if (!schema.is_object()) return schema;
    const std::string draft = json_text(schema.value("$schema", Json()));
    const bool until_7 = draft.find("/draft-0") != std::string::npos;
    if (until_7 && schema.contains("$ref")) {
        // Up to draft 7, keywords beside "$ref" have no effect, not even an identifier.
        Json inside = Json::object();
        for (const char* key : {"$schema", "definitions", "$defs"}) {
            if (schema.contains(key)) inside[key] = schema.at(key);
        }
        inside["allOf"] = Json::array({{{"$ref", schema.at("$ref")}}});
        schema = std::move(inside);
    }
    if (!schema.contains("type")) schema["type"] = "object";
    const char* id = draft.find("/draft-04") != std::string::npos ? "id" : "$id";
    const Json own = schema.value(id, Json());
    if (!own.is_string() || own.text().starts_with('#'))
        schema[id] = "tool://" + std::to_string(tool) + "/";
    return schema;
}

// The schema of a tool's arguments.
Json arguments_of(const Json& tool, int number, const std::string& place) {
    const char* found = nullptr;
    for (const char* key : schema_keys) {
        if (!tool.contains(key)) continue;
        if (found != nullptr)
            throw UsageError(place + ": has \"" + found + "\" and \"" + key +
                             "\"; leave out one of the two");
        found = key;
    }
    if (found == nullptr) return {{"type", "object"}, {"additionalProperties", false}};
    const Json& schema = tool.at(found);
    if (!schema.is_object() && !schema.is_boolean())
        throw UsageError(place + ": \"" + found + "\" is " + kind_of(Json(schema)) +
                         ", expected a JSON Schema");
    return with_identifier(schema, number);
}

// A number that no double holds keeps its digits: it becomes a string, and then a number again. The
// schema's compiler decides whether it matters.
Json digits_of(const std::string& number) { return Json("\x7f" + number); }

void keep_digits(Json& value, const std::map<int, std::string>& numbers, int& place) {
    if (value.is_number())
        if (const auto found = numbers.find(place++); found != numbers.end())
            value = digits_of(found->second);
    for (Json& part : value) keep_digits(part, numbers, place);
}

std::string with_digits(std::string text, const std::map<int, std::string>& numbers) {
    for (const auto& [place, number] : numbers) {
        const std::string kept = json_text(digits_of(number));
        for (std::size_t at = 0; (at = text.find(kept, at)) != std::string::npos;)
            text.replace(at, kept.size(), number);
    }
    return text;
}

}  // namespace

std::string schema_of_tools(const std::string& tools, const std::string& name) {
    const Json checked = parse_json(tools, name);  // refuses invalid JSON and duplicate keys
    Json written = json_value(tools);              // keeps the members' order
    const std::map<int, std::string> numbers = inexact_numbers(tools);
    int numbers_before = 0;
    keep_digits(written, numbers, numbers_before);
    const bool wrapped = written.is_object() && written.contains("tools");
    const Json& list = wrapped ? written.at("tools") : written;
    if (!list.is_array() || list.empty())
        throw UsageError(
            name + ": " + kind_of(wrapped ? checked.at("tools") : checked) +
            ", expected a list of at least one tool {\"name\": …, \"parameters\": schema}");
    std::set<std::string> names;
    Json calls = Json::array();
    for (const Json& entry : list) {
        const int number = static_cast<int>(calls.size()) + 1;
        const std::string place = name + ": tool " + std::to_string(number);
        const Json& tool = tool_in(entry, place);
        check_members(tool, place);
        const auto called = tool.at("name").get<std::string>();
        if (!names.insert(called).second)
            throw UsageError(place + ": the name \"" + shown(called) + "\" appears twice");
        Json call = {{"type", "object"}};
        call["properties"]["name"]["const"] = called;
        call["properties"]["arguments"] = arguments_of(tool, number, place);
        call["required"] = {"name", "arguments"};
        call["additionalProperties"] = false;
        calls.push_back(std::move(call));
    }
    return with_digits(json_text(Json{{"anyOf", calls}}), numbers);
}

}  // namespace tbt
