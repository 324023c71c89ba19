#include "lib/chat/model_chat.hpp"

#include "lib/core/error.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/gguf_file.hpp"
#include "lib/files/gguf_model.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

std::optional<std::string> own_chat_template(const std::filesystem::path& model,
                                             const std::string& name) {
    if (!is_model_file(model.string())) return read_chat_template(model.string(), name);
    const GgufFile file(model.string());
    const std::string key = "tokenizer.chat_template" + (name == "default" ? "" : "." + name);
    if (!file.find(key)) return std::nullopt;
    return file.text_or(key, "");
}

ChatTemplate chat_template_for(const std::filesystem::path& model, const Tokenizer& tokenizer,
                               const std::string& choice) {
    const auto text_of = [&](std::optional<int> id) {
        return id ? std::optional(std::string(tokenizer.token_bytes(*id))) : std::nullopt;
    };
    const auto made = [&](std::string source, std::string name) {
        return ChatTemplate(std::move(source), text_of(tokenizer.bos_id()),
                            text_of(tokenizer.vocabulary().eos_id), std::move(name));
    };
    if (choice.empty()) {
        const std::optional<std::string> own = own_chat_template(model);
        if (own) {
            ChatTemplate chat = made(*own, model.string() + ": its chat template");
            if (auto tools = own_chat_template(model, "tool_use"))
                chat.use_for_tools(made(*tools, model.string() + ": its chat template for tools"));
            return chat;
        }
        throw Error(model.string() +
                    ": has no chat template; name one with --chat-template: a file, or " +
                    chat_family_names());
    }
    const std::string family = chat_family(choice);
    if (!family.empty()) return made(family, "chat template " + choice);
    if (file_exists(choice)) return made(read_file(choice), choice);
    throw UsageError("--chat-template: there is no file " + shown(choice) + ", and it is none of " +
                     chat_family_names());
}

}  // namespace tbt
