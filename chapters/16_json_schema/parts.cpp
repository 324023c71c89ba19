#include "chapters/16_json_schema/parts.hpp"

#include <bit>
#include <cstdio>

#include "chapters/14_grammar/grammar_machine.hpp"
#include "chapters/14_grammar/shortest_text.hpp"
#include "chapters/16_json_schema/plain_schema.hpp"
#include "chapters/16_json_schema/schema.hpp"
#include "chapters/16_json_schema/tools.hpp"
#include "lib/index.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

const std::string person = "data/schemas/person.json", tools = "data/schemas/tools.json";

bool alive(ByteMachine& machine, ByteMachine::State state, const std::string& text) {
    return read_bytes(machine, state, text) != ByteMachine::dead;
}

// Which of the keys may come, behind `comma` or at once.
std::string keys_alive(ByteMachine& machine, ByteMachine::State state, const std::string& comma,
                       const std::vector<std::string>& keys) {
    std::string line;
    for (const std::string& key : keys) {
        std::string member = comma;
        member.append("\"").append(key).append("\":");
        if (alive(machine, state, member)) line.append(line.empty() ? "" : " ").append(key);
    }
    return line.empty() ? "-" : line;
}

}  // namespace

void show_judging() {
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
    GrammarMachine machine(compile_schema(read_file(person), {}, person));
    ByteMachine::State state = machine.start();
    const std::vector<std::string> keys = {"name", "age", "job", "likes"};
    for (const char* piece :
         {"{", "\"age\":36", ",\"likes\":[\"tea\"]", ",\"name\":\"Ada\"", ",\"job\":\"baker\""}) {
        state = read_bytes(machine, state, piece);
        const std::string comma = *piece == '{' ? "" : ",";
        std::printf("   %s %s %s %18d\n", padded(piece, 18).c_str(),
                    padded(keys_alive(machine, state, comma, keys), 23).c_str(),
                    padded(alive(machine, state, "}") ? "yes" : "no", 9).c_str(),
                    machine.closing_bytes(state));
    }
}

void show_alternatives() {
    std::printf(
        "3. %s: get_weather(city, unit) or send_message(to, text)\n\n"
        "   behind                                 may come\n",
        tools.c_str());
    GrammarMachine machine(compile_schema(schema_of_tools(read_file(tools), tools), {}, tools));
    const std::vector<std::string> keys = {"name", "arguments", "city", "unit", "to", "text"};
    for (const char* text : {"{", "{\"arguments\":{", "{\"arguments\":{\"to\":\"Ada\"",
                             "{\"name\":\"get_weather\",\"arguments\":{"}) {
        const ByteMachine::State state = read_bytes(machine, machine.start(), text);
        const std::string comma = std::string(text).back() == '{' ? "" : ",";
        std::printf("   %s %s\n", padded(text, 38).c_str(),
                    keys_alive(machine, state, comma, keys).c_str());
    }
    const std::string decided = "{\"arguments\":{\"to\":\"Ada\",\"text\":\"Hi\"},\"name\":\"";
    const ByteMachine::State state = read_bytes(machine, machine.start(), decided);
    std::printf("   %s", padded("…,\"text\":\"Hi\"},\"name\":\"", 38).c_str());
    for (const char* name : {"get_weather", "send_message"})
        if (alive(machine, state, name)) std::printf(" %s", name);
    std::printf("\n");
}

void show_requests() {
    std::printf(
        "4. Every request becomes rules over bytes:\n\n"
        "   request                          rules  nodes  shortest text\n");
    const auto row = [](const std::string& what, Grammar grammar) {
        GrammarMachine machine(std::move(grammar));
        const std::string shortest = shortest_text(machine);
        std::printf("   %s %6d %6d  %s\n", padded(what, 32).c_str(), machine.grammar().rules(),
                    machine.grammar().nodes(), padded(visible(shortest), 30).c_str());
    };
    row("--choice yes,no,maybe", compile_choices({"yes", "no", "maybe"}));
    row("--integer -5:120", compile_integers("-5", "120"));
    row("--regex [A-Z][a-z]+ is \\d+\\.", compile_regex("[A-Z][a-z]+ is \\d+\\."));
    for (const char* name : {"person", "weather", "order", "tree"}) {
        const std::string file = "data/schemas/" + std::string(name) + ".json";
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
    writer.show(5, held.name(), machine_for(held));
}

void write_sets(const std::string& file) {
    const std::vector<std::string> names = {"name", "age", "job"};
    const auto place = [](unsigned left) {
        static const double rows[] = {1, 0, 1, 0, 2, 1, 2, 1};  // by the set of members left
        const int written = 3 - std::popcount(left);
        return std::pair{30 + 180.0 * written, 60 + 62.0 * rows[left]};
    };
    std::string lines, boxes;
    for (unsigned left = 0; left < 8; ++left) {
        const auto [x, y] = place(left);
        std::string still;
        for (unsigned m = 0; m < 3; ++m) {
            if ((left >> m & 1) == 0) continue;
            still.append(still.empty() ? "" : ", ").append(names[m]);
            const auto [to_x, to_y] = place(left & ~(1u << m));
            lines += svg_line(x + 120, y + 15, to_x, to_y + 15, svg_colour(to_int(m)),
                              "stroke-width=\"2\"");
        }
        boxes += svg_rect(x, y, 120, 30, svg_colour(left == 0 ? 2 : 0),
                          "fill-opacity=\"0.25\" rx=\"4\"") +
                 svg_text(x + 60, y + 20, still.empty() ? "none: may close" : still, "middle", 12);
    }
    std::string legend;
    for (int m = 0; m < 3; ++m)
        legend += svg_text(30 + 110 * m, 262, "writes " + names[index(m)], "start", 12,
                           "style=\"fill:" + svg_colour(m) + "\"");
    const std::string title = "Members still to come: a state for each set, a line for each member";
    write_svg(file, title, 720, 280, svg_text(30, 28, title, "start", 14) + lines + boxes + legend);
}

}  // namespace tbt
