#include "lib/chat/chat_template.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/chat/jinja_parse.hpp"
#include "lib/core/error.hpp"
#include "lib/core/unicode.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

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
Value value_of(const Json& json) {
    if (json.is_null()) return jinja::None{};
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_integer() && !json.is_large()) return json.get<std::int64_t>();
    if (json.is_number()) return json.get<double>();
    if (json.is_string()) return MarkedText(json.get<std::string>(), true);
    if (json.is_array()) {
        std::vector<Value> items;
        for (const Json& item : json) items.push_back(value_of(item));
        return jinja::list_of(std::move(items));
    }
    Members members;
    for (const auto& [key, value] : json.items())
        members.emplace_back(MarkedText(key, true), value_of(value));
    return jinja::object_of(std::move(members));
}

Json parsed(const std::string& text, const char* what, bool is_list) {
    parse_json(text, what);  // throws if the text is wrong or nested too deeply
    Json json = json_value(text);
    if (is_list ? !json.is_array() : !json.is_object())
        throw Error(std::string(what) + ": expected a JSON " + (is_list ? "list" : "object"));
    return json;
}

// parts: the content as a list of one part, {"type": "text", "text": …}.
Value message_of(const ChatMessage& message, bool parts) {
    Value content = from_message(message.content, "a message's content");
    if (parts) {
        Members part;
        part.emplace_back(MarkedText("type"), jinja::text_of("text"));
        part.emplace_back(MarkedText("text"), std::move(content));
        content = jinja::list_of({jinja::object_of(std::move(part))});
    }
    Members members;
    members.emplace_back(MarkedText("role"), from_message(message.role, "a message's role"));
    members.emplace_back(MarkedText("content"), std::move(content));
    if (!message.more.empty()) {
        const Json more = parsed(message.more, "a message's further members", false);
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
    const auto shows_content = [&] {
        try {
            const ChatMessage sample{"user", "7~7~7"};  // as it is in every case
            return render({&sample, 1}).text().find(sample.content) != std::string::npos;
        } catch (const Error&) {
            return false;
        }
    };
    if (source_.find("content") == std::string::npos || shows_content()) return;
    takes_parts_ = true;
    takes_parts_ = shows_content();
}

bool ChatTemplate::takes_tools() const {
    return for_tools_ || source_.find("tools") != std::string::npos;
}

MarkedText ChatTemplate::render(std::span<const ChatMessage> messages,
                                const ChatOptions& options) const {
    if (!options.tools.empty() && for_tools_) return for_tools_->render(messages, options);
    if (!options.tools.empty() && !takes_tools())
        throw Error(name_ + ": has no place for tools; leave them out, or take another template");
    std::vector<std::pair<std::string, Value>> variables;
    try {
        std::vector<Value> all;
        for (const ChatMessage& message : messages)
            all.push_back(message_of(message, takes_parts_));
        variables.emplace_back("messages", jinja::list_of(std::move(all)));
        variables.emplace_back("add_generation_prompt", options.add_generation_prompt);
        if (bos_) variables.emplace_back("bos_token", jinja::text_of(*bos_));
        if (eos_) variables.emplace_back("eos_token", jinja::text_of(*eos_));
        if (options.enable_thinking)
            variables.emplace_back("enable_thinking", *options.enable_thinking);
        // As in transformers, both are there: none if there are no tools.
        variables.emplace_back("tools", options.tools.empty()
                                            ? Value(jinja::None{})
                                            : value_of(parsed(options.tools, "tools", true)));
        variables.emplace_back("documents", jinja::None{});
        if (!options.variables.empty()) {
            const Json more = parsed(options.variables, "a template's variables", false);
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

std::optional<std::string> read_chat_template(const std::string& directory,
                                              const std::string& name) {
    const bool usual = name == "default";
    const std::string own =
        usual ? "chat_template.jinja" : "additional_chat_templates/" + name + ".jinja";
    if (const std::string path = join_path(directory, own); file_exists(path))
        return read_file(path);
    const std::string path = join_path(directory, "tokenizer_config.json");
    if (!file_exists(path)) return std::nullopt;
    const Json json = read_json(path);
    const auto found = json.is_object() ? json.find("chat_template") : json.end();
    if (found == json.end() || found->is_null()) return std::nullopt;
    if (found->is_string()) return usual ? std::optional(found->get<std::string>()) : std::nullopt;
    if (found->is_array())
        for (const Json& one : *found)
            if (one.is_object() && one.value("name", Json()) == name &&
                one.value("template", Json()).is_string())
                return one["template"].get<std::string>();
    if (!usual) return std::nullopt;
    throw Error(path + ": chat_template is " + kind_of(*found) +
                ", expected a string, or a list with {\"name\": \"default\", \"template\": …}");
}

// ---- families -----------------------------------------------------------------------------------
namespace {

constexpr std::string_view chatml =
    R"({% for message in messages %}
<|im_start|>{{ message.role + '\n' + message.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %})";

// ChatML with a system message of its own, if the conversation has none.
constexpr std::string_view qwen2_5_system =
    R"({% if messages[0].role != 'system' %}
<|im_start|>system
You are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>
{% endif %}
)";
constexpr std::string_view smollm2_system =
    R"({% if messages[0].role != 'system' %}
<|im_start|>system
You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>
{% endif %}
)";

// The system message is put before the first user message. Gemma and Mistral begin alike.
constexpr std::string_view in_turns =
    R"({{ bos_token }}
{%- set talk = namespace(turns=0, system='') %}
{% for message in messages %}
{% if loop.first and message.role == 'system' %}
{% set talk.system = message.content + '\n\n' %}
{% else %}
{% if (message.role == 'user') != (talk.turns % 2 == 0) %}
{{- raise_exception('user and assistant must take turns, the user first') }}
)";
constexpr std::string_view gemma =
    R"({% endif %}
<start_of_turn>{{ 'model' if message.role == 'assistant' else message.role }}
{{ (talk.system if talk.turns == 0 else '') + message.content | trim }}<end_of_turn>
{% set talk.turns = talk.turns + 1 %}
{% endif %}
{% endfor %}
{% if add_generation_prompt %}
<start_of_turn>model
{% endif %})";

constexpr std::string_view llama3 =
    R"({% for message in messages %}
{{ bos_token if loop.first }}<|start_header_id|>{{ message.role }}<|end_header_id|>

{{ message.content | trim }}<|eot_id|>
{%- endfor %}
{% if add_generation_prompt %}
<|start_header_id|>assistant<|end_header_id|>

{% endif %})";

constexpr std::string_view mistral =
    R"({% elif message.role == 'user' %}
 [INST] {{ talk.system if talk.turns == 0 }}{{ message.content }} [/INST]
{%- elif message.role == 'assistant' %}
{{ ' ' + message.content + eos_token }}
{%- else %}
{{- raise_exception('there is no place for the role ' + message.role) }}
{% endif %}
{% set talk.turns = talk.turns + 1 %}
{% endif %}
{% endfor %})";

// This format has no place for a system message.
constexpr std::string_view phi3 =
    R"({{ bos_token }}
{%- for message in messages %}
{% if message.role == 'user' %}
<|user|>
{{ message.content }}<|end|>
<|assistant|>
{% elif message.role == 'assistant' %}
{{ message.content }}<|end|>
{% endif %}
{% endfor %})";

// Thinking is kept only in answers after the last user message.
constexpr std::string_view qwen3 =
    R"({% set last = namespace(question=-1) %}
{% for message in messages if message.role == 'user' %}
{% set last.question = last.question + 1 %}
{% endfor %}
{% set asked = namespace(count=-1) %}
{% for message in messages %}
{% set content = message.content %}
{% if message.role == 'user' %}
{% set asked.count = asked.count + 1 %}
{% elif message.role == 'assistant' %}
{% set parts = content.split('</think>') %}
{% set thoughts = parts[0].split('<think>')[-1].strip('\n') if parts | length > 1 else '' %}
{% set content = parts[-1].lstrip('\n') if parts | length > 1 else content %}
{% if asked.count == last.question and (loop.last or thoughts) %}
{% set content = '<think>\n' + thoughts + '\n</think>\n\n' + content.lstrip('\n') %}
{% endif %}
{% endif %}
<|im_start|>{{ message.role + '\n' + content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% if enable_thinking is defined and enable_thinking is false %}
<think>

</think>

{% endif %}
{% endif %})";

// The format of this course's model (chapter 10): lines of text without special tokens.
constexpr std::string_view storyteller =
    "{% for message in messages %}"
    "{{ ('Assistant: ' if message['role'] == 'assistant' else 'User: ') + message['content'] + "
    "'\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}";

constexpr std::string_view zephyr =
    R"({% for message in messages %}
{% if message.role in ['system', 'user', 'assistant'] %}
{{ '<|' + message.role + '|>\n' + message.content + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
<|assistant|>
{% endif %}
{% endfor %})";

struct ChatFamily {
    std::string_view name, source, beginning = {};
};
constexpr std::array<ChatFamily, 10> families = {{{"chatml", chatml},
                                                  {"gemma", gemma, in_turns},
                                                  {"llama3", llama3},
                                                  {"mistral", mistral, in_turns},
                                                  {"phi3", phi3},
                                                  {"qwen2.5", chatml, qwen2_5_system},
                                                  {"qwen3", qwen3},
                                                  {"smollm2", chatml, smollm2_system},
                                                  {"storyteller", storyteller},
                                                  {"zephyr", zephyr}}};

}  // namespace

std::string chat_family(std::string_view name) {
    for (const ChatFamily& family : families)
        if (family.name == name) return std::string(family.beginning) + std::string(family.source);
    return "";
}

std::string chat_family_names() {
    std::string names;
    for (const ChatFamily& family : families)
        names += (names.empty() ? "" : ", ") + std::string(family.name);
    return names;
}

}  // namespace tbt
