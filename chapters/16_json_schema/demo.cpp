#include "chapters/16_json_schema/demo.hpp"

#include <cstdio>

#include "chapters/16_json_schema/plain_schema.hpp"
#include "chapters/16_json_schema/tools.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

const std::string person = shipped_file("schemas/person.json"),
                  tools = shipped_file("schemas/tools.json");

bool alive(Recognizer& recognizer, Recognizer::State state, const std::string& text) {
    return read_bytes(recognizer, state, text) != Recognizer::dead;
}

// Which of the keys may come next, after the text `comma` (which may be empty).
std::string keys_alive(Recognizer& recognizer, Recognizer::State state, const std::string& comma,
                       const std::vector<std::string>& keys) {
    std::string line;
    for (const std::string& key : keys) {
        std::string member = comma;
        member.append("\"").append(key).append("\":");
        if (alive(recognizer, state, member)) line.append(line.empty() ? "" : " ").append(key);
    }
    return line.empty() ? "-" : line;
}

}  // namespace

void show_validation() {
    std::printf("1. Does a finished value meet %s?\n\n", person.c_str());
    const Json schema = read_json(person);
    for (const char* text :
         {R"({"name": "Ada", "age": 36, "job": "baker"})",
          R"({"job": "baker", "likes": ["tea"], "age": 36, "name": "Ada"})",
          R"({"name": "Ada", "age": 36})", R"({"name": "Ada", "age": "36", "job": "baker"})",
          R"({"name": "Ada", "age": 200, "job": "baker"})",
          R"({"name": "Ada", "age": 36, "job": "poet"})",
          R"({"name": "Ada", "age": 36, "job": "baker", "likes": []})",
          R"({"name": "Ada", "age": 36, "job": "baker", "pet": "cat"})"}) {
        const std::string fault = plain_fault(json_value(text), schema);
        std::printf("   %s %s\n", padded(text, 66).c_str(),
                    fault.empty()          ? "yes"
                    : fault.front() == ':' ? ("no" + fault).c_str()
                                           : ("no: " + fault).c_str());
    }
}

void show_members() {
    std::printf(
        "2. %s, written member by member:\n\n"
        "   text               members that may come   may close   bytes to the end\n",
        person.c_str());
    GrammarRecognizer recognizer(compile_schema(read_file(person), {}, person));
    Recognizer::State state = recognizer.start();
    const std::vector<std::string> keys = {"name", "age", "job", "likes"};
    for (const char* piece :
         {"{", "\"name\":\"Ada\"", ",\"age\":36", ",\"job\":\"baker\"", ",\"likes\":[\"tea\"]"}) {
        state = read_bytes(recognizer, state, piece);
        const std::string comma = *piece == '{' ? "" : ",";
        std::printf("   %s %s %s %18d\n", padded(piece, 18).c_str(),
                    padded(keys_alive(recognizer, state, comma, keys), 23).c_str(),
                    padded(alive(recognizer, state, "}") ? "yes" : "no", 9).c_str(),
                    recognizer.closing_bytes(state));
    }
}

void show_alternatives() {
    std::printf(
        "3. %s: get_weather(city, unit) or send_message(to, text)\n\n"
        "   after                                              may come\n",
        tools.c_str());
    GrammarRecognizer recognizer(
        compile_schema(schema_of_tools(read_file(tools), tools), {}, tools));
    const std::vector<std::string> keys = {"name", "arguments", "city", "unit", "to", "text"};
    for (const char* text : {"{", "{\"name\":\"get_weather\",\"arguments\":{",
                             "{\"name\":\"send_message\",\"arguments\":{",
                             "{\"name\":\"send_message\",\"arguments\":{\"to\":\"Ada\""}) {
        const Recognizer::State state = read_bytes(recognizer, recognizer.start(), text);
        const std::string comma = std::string(text).back() == '{' ? "" : ",";
        std::printf("   %s %s\n", padded(text, 50).c_str(),
                    keys_alive(recognizer, state, comma, keys).c_str());
    }
    const Recognizer::State state = read_bytes(recognizer, recognizer.start(), "{\"name\":\"");
    std::printf("   %s", padded("{\"name\":\"", 50).c_str());
    for (const char* name : {"get_weather", "send_message"})
        if (alive(recognizer, state, name)) std::printf(" %s", name);
    std::printf("\n");
}

void show_requests() {
    std::printf(
        "4. Every request becomes rules over bytes:\n\n"
        "   request                          rules  nodes  shortest text\n");
    const auto row = [](const std::string& what, Grammar grammar) {
        GrammarRecognizer recognizer(std::move(grammar));
        const std::string shortest = shortest_text(recognizer);
        std::printf("   %s %6d %6d  %s\n", padded(what, 32).c_str(), recognizer.grammar().rules(),
                    recognizer.grammar().nodes(), padded(visible(shortest), 30).c_str());
    };
    row("--choice yes,no,maybe", compile_choices({"yes", "no", "maybe"}));
    row("--integer -5:120", compile_integers("-5", "120"));
    row("--regex [A-Z][a-z]+ is \\d+\\.", compile_regex("[A-Z][a-z]+ is \\d+\\."));
    for (const char* name : {"person", "weather", "order", "tree"}) {
        const std::string file = shipped_file("schemas/" + std::string(name) + ".json");
        row("--json-schema " + std::string(name) + ".json",
            compile_schema(read_file(file), {}, file));
    }
    row("--tools tools.json", compile_schema(schema_of_tools(read_file(tools), tools), {}, tools));
}

void show_guided(const GuideRequest& request, GuidedModel writer) {
    GuideRequest held = request;
    if (held.name().empty()) {
        held.schema = person;
        writer.continue_prompt = true;
    }
    writer.show(5, held.name(), recognizer_for(held));
}

}  // namespace tbt
