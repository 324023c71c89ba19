// From a conversation to the text, and the ids, that a model expects: its chat template, a program
// in the template language Jinja that comes with the model, is run here.
//
//     const ChatTemplate chat = chat_template_for("models/qwen", tokenizer);   // lib/model
//     const std::vector<int> ids = chat_ids(tokenizer, chat, {{"user", "Hello"}});
//
// Known of Jinja: text, {{ }}, {# #}, if, for (also "if", "else", several variables), set (also of
// a block and of a namespace's members), macro, generation, break, continue; all operators but **,
// conditional expressions, slices, loop.*, and the filters, tests and methods that published
// templates use. Anything else is refused by name, with its line. Work, depth and output are
// bounded: no template hangs or fills the memory.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/text/marked_text.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct ChatMessage {
    std::string role;       // "system", "user", "assistant", "tool": as the template knows them
    std::string content;    // UTF-8
    std::string more = {};  // further members, a JSON object: {"tool_calls": […]}; empty: none
};

struct ChatOptions {
    bool add_generation_prompt = true;         // end where the assistant's answer begins
    std::optional<bool> enable_thinking = {};  // Qwen3's and SmolLM3's switch; none: not given
    std::string tools = {};                    // a JSON list, as OpenAI's "tools"; empty: none
    std::string variables = {};                // further variables, a JSON object; empty: none
    // What strftime_now() tells, in seconds since 1970 (UTC). None: there is no such function, and
    // a template that insists on the date is refused.
    std::optional<std::int64_t> now = {};
};

class ChatTemplate {
public:
    // bos and eos: the texts of these tokens, where the model has them. name stands in front of
    // messages. Throws Error "NAME: line N: …" for what is no template or is not supported.
    explicit ChatTemplate(std::string source, std::optional<std::string> bos = {},
                          std::optional<std::string> eos = {}, std::string name = "chat template");

    // The text, with its special tokens (a BOS too, where the template writes one), and which of
    // its bytes come from messages and tools. Throws Error for a conversation that the template
    // refuses, for what is not UTF-8 or JSON, and for tools where the template has no place for
    // them. May be called by several threads at once.
    MarkedText render(std::span<const ChatMessage> messages, const ChatOptions& options = {}) const;

    bool takes_tools() const;
    const std::string& source() const { return source_; }

private:
    struct Program;
    std::string source_, name_;
    std::optional<std::string> bos_, eos_;
    std::shared_ptr<const Program> program_;
};

// The ids of a conversation. Nothing is put around them: a BOS is there once, if the template
// writes it. Special tokens are those of the template; "<|im_end|>" in a message is text.
std::vector<int> chat_ids(const Tokenizer& tokenizer, const ChatTemplate& chat,
                          std::span<const ChatMessage> messages, const ChatOptions& options = {});
inline std::vector<int> chat_ids(const Tokenizer& tokenizer, const ChatTemplate& chat,
                                 std::initializer_list<ChatMessage> messages,
                                 const ChatOptions& options = {}) {
    return chat_ids(tokenizer, chat, std::span(messages.begin(), messages.size()), options);
}

// ---- families -----------------------------------------------------------------------------------
// Templates of our own, by the names of those who use them; an empty text for another name.
std::string chat_family(std::string_view name);
std::string chat_family_names();  // "chatml, gemma, …", for messages

// The template in a model's directory: chat_template.jinja, or chat_template in
// tokenizer_config.json (of a list the one named "default"). None: nothing.
std::optional<std::string> read_chat_template(const std::string& directory);

}  // namespace tbt
