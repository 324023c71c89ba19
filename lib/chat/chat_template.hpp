// Converts a conversation to the text, or the token ids, that a chat model expects. For this it
// runs the model's chat template, a program in the template language Jinja that comes with the
// model.
//
//     const ChatTemplate chat = chat_template_for("models/qwen", tokenizer);   // lib/model
//     const std::vector<int> ids = chat_ids(tokenizer, chat, {{"user", "Hello"}});
//
// Supported parts of Jinja: text, {{ }}, {# #}, if, for (with "if", "else" and several variables),
// set (also for a block and for a namespace's members), macro, generation, break, continue; all
// operators except **, conditional expressions, slices, loop.*, and the filters, tests and methods
// that published templates use. For anything else there is an error with its name and line. Work,
// depth and output are limited, so no template can run for ever or fill the memory.
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
    std::string role;       // "system", "user", "assistant", "tool", or another that it supports
    std::string content;    // UTF-8
    std::string more = {};  // further members, a JSON object: {"tool_calls": […]}; empty: none
};

struct ChatOptions {
    bool add_generation_prompt = true;         // end the text where the answer is to begin
    std::optional<bool> enable_thinking = {};  // a variable of Qwen3 and SmolLM3; none: not set
    std::string tools = {};                    // a JSON array like OpenAI's "tools"; empty: none
    std::string variables = {};                // further variables, a JSON object; empty: none
    // The time of strftime_now(), in seconds since 1970 by the clock on the wall. None: the
    // function does not exist, and a template that needs it gives an error.
    std::optional<std::int64_t> now = {};
};

class ChatTemplate {
public:
    // bos and eos: the texts of these tokens, if the model has them. Throws Error "NAME: line N: …"
    // if `source` is not a template or is not supported.
    explicit ChatTemplate(std::string source, std::optional<std::string> bos = {},
                          std::optional<std::string> eos = {}, std::string name = "chat template");

    // The text of a conversation, with its special tokens (also a BOS, if the template writes one).
    // Its marks say which bytes come from messages and tools. Throws Error if the template refuses
    // the conversation, if something is not UTF-8 or JSON, or if there are tools and the template
    // does not use them. Several threads may call this at the same time.
    MarkedText render(std::span<const ChatMessage> messages, const ChatOptions& options = {}) const;

    // From now on conversations with tools are written by this template. (A model may have one of
    // its own for them, named "tool_use".)
    void use_for_tools(ChatTemplate other) {
        for_tools_ = std::make_shared<const ChatTemplate>(std::move(other));
    }
    bool takes_tools() const;
    const std::string& source() const { return source_; }

private:
    struct Program;
    std::string source_, name_;
    std::optional<std::string> bos_, eos_;
    std::shared_ptr<const Program> program_;
    std::shared_ptr<const ChatTemplate> for_tools_;
    // Templates of models that also read pictures may take content as a list of parts only.
    bool takes_parts_ = false;
};

// The ids of a conversation. No tokens are added to them: there is a BOS only if the template
// writes one. Only the template's special tokens are encoded as such; "<|im_end|>" in a message is
// ordinary text.
std::vector<int> chat_ids(const Tokenizer& tokenizer, const ChatTemplate& chat,
                          std::span<const ChatMessage> messages, const ChatOptions& options = {});
inline std::vector<int> chat_ids(const Tokenizer& tokenizer, const ChatTemplate& chat,
                                 std::initializer_list<ChatMessage> messages,
                                 const ChatOptions& options = {}) {
    return chat_ids(tokenizer, chat, std::span(messages.begin(), messages.size()), options);
}

// ---- families -----------------------------------------------------------------------------------
// Our own template for a family of models; empty for an unknown name. For conversations without
// tools it writes the same text as the published templates of the family.
std::string chat_family(std::string_view name);
std::string chat_family_names();  // "chatml, gemma, …", for messages

// The template with this name in a model's directory: chat_template.jinja (others:
// additional_chat_templates/NAME.jinja), or else chat_template in tokenizer_config.json, a text or
// a list of templates with names. None if there is none of this name.
std::optional<std::string> read_chat_template(const std::string& directory,
                                              const std::string& name = "default");

}  // namespace tbt
