// Chat templates against two implementations of Jinja: tests/data/chat/cases.json has 231
// conversations of ten families as @huggingface/jinja and Python's jinja2 render them.
#include "tests/catch.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "lib/chat/chat_template.hpp"
#include "lib/json/json.hpp"

using namespace tbt;

namespace {

// The families of cases.json by our names. The older form of Mistral's is none of ours.
std::string our_name(const std::string& family) {
    if (family == "mistral-v0.2-v1") return "mistral";
    if (family == "phi3-mini") return "phi3";
    if (family == "gemma3") return "gemma";
    return family;
}

// What a template makes of a case: the text, or "refused".
std::string outcome(const ChatTemplate& chat, const Json& c) {
    std::vector<ChatMessage> messages;
    for (const Json& m : c["messages"]) messages.push_back({m["role"], m["content"]});
    ChatOptions options;
    options.add_generation_prompt = c["add_generation_prompt"];
    if (c.contains("enable_thinking")) options.enable_thinking = c["enable_thinking"].get<bool>();
    try {
        return chat.render(messages, options).text();
    } catch (const Error& e) {
        // Not for another reason than the template's own.
        const bool own = std::string(e.what()).find("the template refuses") != std::string::npos;
        return own ? "refused" : e.what();
    }
}

int checked(const std::string& source, const Json& family) {
    const ChatTemplate chat(source, family["bos_token"].get<std::string>(),
                            family["eos_token"].get<std::string>());
    for (const Json& c : family["cases"]) {
        INFO(family["family"].get<std::string>() << ": " << c["name"].get<std::string>());
        REQUIRE(outcome(chat, c) ==
                (c.contains("error") ? "refused" : c["rendered"].get<std::string>()));
    }
    return static_cast<int>(family["cases"].size());
}

}  // namespace

TEST_CASE("published chat templates write what two other implementations of Jinja write",
          "[golden][chat]") {
    const Json all = read_json("tests/data/chat/cases.json");
    int cases = 0;
    for (const Json& family : all["templates"])
        if (family.contains("chat_template") && family["chat_template"].is_string())
            cases += checked(family["chat_template"], family);
    REQUIRE(cases == 187);
}

TEST_CASE("the templates of the families write what the published ones write", "[golden][chat]") {
    const Json all = read_json("tests/data/chat/cases.json");
    int cases = 0;
    for (const Json& family : all["templates"]) {
        const std::string source = chat_family(our_name(family["family"]));
        if (!source.empty()) cases += checked(source, family);
    }
    REQUIRE(cases == 231 - 22);
}
