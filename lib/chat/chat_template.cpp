#include "lib/chat/chat_template.hpp"

#include <algorithm>
#include <utility>

#include "lib/chat/chat_families.hpp"
#include "lib/chat/jinja_render.hpp"
#include "lib/chat/jinja_syntax.hpp"
#include "lib/core/error.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

struct ChatTemplate::Program {
    jinja::Body body;
};

namespace {

using jinja::Value;
using Members = std::vector<std::pair<MarkedText, Value>>;

MarkedText from_message(const std::string& text, const char* what) {
    if (const std::size_t bad = find_invalid_utf8(text); bad != std::string::npos)
        throw Error(std::string(what) + ": byte " + std::to_string(bad + 1) +
                    " is not valid UTF-8");
    return MarkedText(text, true);
}

// A JSON value as a Jinja value, with all its texts marked as from a message.
Value value_of(const OrderedJson& json) {
    if (json.is_null()) return jinja::None{};
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)
        return static_cast<double>(json.get<std::uint64_t>());
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (json.is_number()) return json.get<double>();
    if (json.is_string()) return MarkedText(json.get<std::string>(), true);
    if (json.is_array()) {
        std::vector<Value> items;
        for (const OrderedJson& item : json) items.push_back(value_of(item));
        return jinja::list_of(std::move(items));
    }
    Members members;
    for (const auto& [key, value] : json.items())
        members.emplace_back(MarkedText(key, true), value_of(value));
    return jinja::object_of(std::move(members));
}

OrderedJson parsed(const std::string& text, const char* what, bool is_list) {
    parse_json(text, what);  // throws if the text is wrong or nested too deeply
    OrderedJson json = ordered_json_value(text);
    if (is_list ? !json.is_array() : !json.is_object())
        throw Error(std::string(what) + ": expected a JSON " + (is_list ? "list" : "object"));
    return json;
}

Value message_of(const ChatMessage& message) {
    Members members;
    members.emplace_back(MarkedText("role"), from_message(message.role, "a message's role"));
    members.emplace_back(MarkedText("content"),
                         from_message(message.content, "a message's content"));
    if (!message.more.empty()) {
        const OrderedJson more = parsed(message.more, "a message's further members", false);
        for (auto member = more.begin(); member != more.end(); ++member) {
            const std::string& key = member.key();
            const auto known = std::find_if(members.begin(), members.end(),
                                            [&](const auto& m) { return m.first.text() == key; });
            if (known != members.end()) known->second = value_of(*member);
            else members.emplace_back(MarkedText(key), value_of(*member));
        }
    }
    return jinja::object_of(std::move(members));
}

}  // namespace

ChatTemplate::ChatTemplate(std::string source, std::optional<std::string> bos,
                           std::optional<std::string> eos, std::string name)
    : source_(std::move(source)),
      name_(std::move(name)),
      bos_(std::move(bos)),
      eos_(std::move(eos)) {
    try {
        if (find_invalid_utf8(source_) != std::string::npos) throw Error("is not valid UTF-8");
        program_ = std::make_shared<const Program>(Program{jinja::parse(source_)});
    } catch (const Error& e) {
        throw Error(name_ + ": " + e.what());
    }
}

bool ChatTemplate::takes_tools() const { return source_.find("tools") != std::string::npos; }

MarkedText ChatTemplate::render(std::span<const ChatMessage> messages,
                                const ChatOptions& options) const {
    if (!options.tools.empty() && !takes_tools())
        throw Error(name_ + ": has no place for tools; leave them out, or take another template");
    std::vector<std::pair<std::string, Value>> variables;
    try {
        std::vector<Value> all;
        for (const ChatMessage& message : messages) all.push_back(message_of(message));
        variables.emplace_back("messages", jinja::list_of(std::move(all)));
        variables.emplace_back("add_generation_prompt", options.add_generation_prompt);
        if (bos_) variables.emplace_back("bos_token", jinja::text_of(*bos_));
        if (eos_) variables.emplace_back("eos_token", jinja::text_of(*eos_));
        if (options.enable_thinking)
            variables.emplace_back("enable_thinking", *options.enable_thinking);
        if (!options.tools.empty())
            variables.emplace_back("tools", value_of(parsed(options.tools, "tools", true)));
        if (!options.variables.empty()) {
            const OrderedJson more = parsed(options.variables, "a template's variables", false);
            for (const auto& [key, value] : more.items())
                variables.emplace_back(key, value_of(value));
        }
        return jinja::rendered(program_->body, std::move(variables), options.now);
    } catch (const Error& e) {
        throw Error(name_ + ": " + e.what());
    }
}

std::vector<int> chat_ids(const Tokenizer& tokenizer, const ChatTemplate& chat,
                          std::span<const ChatMessage> messages, const ChatOptions& options) {
    return tokenizer.encode_marked(chat.render(messages, options));
}

std::string chat_family(std::string_view name) {
    for (const ChatFamily& family : chat_families())
        if (family.name == name) return std::string(family.source);
    return "";
}

std::string chat_family_names() {
    std::string names;
    for (const ChatFamily& family : chat_families())
        names += (names.empty() ? "" : ", ") + std::string(family.name);
    return names;
}

std::optional<std::string> read_chat_template(const std::string& directory) {
    if (const std::string path = join_path(directory, "chat_template.jinja"); file_exists(path))
        return read_file(path);
    const std::string path = join_path(directory, "tokenizer_config.json");
    if (!file_exists(path)) return std::nullopt;
    const Json json = read_json(path);
    const auto found = json.is_object() ? json.find("chat_template") : json.end();
    if (found == json.end() || found->is_null()) return std::nullopt;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_array())
        for (const Json& one : *found)
            if (one.is_object() && one.value("name", Json()) == "default" &&
                one.value("template", Json()).is_string())
                return one["template"].get<std::string>();
    throw Error(path + ": chat_template is " + kind_of(*found) +
                ", expected a string, or a list with {\"name\": \"default\", \"template\": …}");
}

}  // namespace tbt
