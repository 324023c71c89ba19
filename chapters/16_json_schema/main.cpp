// Chapter 16: JSON Schema: objects, arrays, choices and tools.
//
//   make run-16                                                          all parts
//   make run-16 ARGS='--part 5 --json-schema data/schemas/weather.json'  a model under a schema
//   make run-16 ARGS='--part 5 --tools data/schemas/tools.json "What is the weather in Elm?"'
//
// Look for: part 2, where a written member is not offered again, and the object may close only when
// no required member is missing.
#include <cstdio>
#include <functional>
#include <string>

#include "chapters/14_grammar/guided_model.hpp"
#include "chapters/16_json_schema/demo.hpp"
#include "chapters/16_json_schema/guide.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    int part = 0;
    PartOptions for_parts(part);
    GuidedModel model("{\"name\": \"Ada\",", 1);
    model.command = shell_line(argc, argv);
    GuideRequest request;
    return run_program(
        argc, argv, "Chapter 16: texts constrained by a JSON Schema, choices or tools.",
        [&](const CommandLine& line) {
            part_option(line, part, 5);
            request.add_options(line.app());
            for (const DeclaredOption& option : model.add_options(line)) for_parts.add({5}, option);
        },
        [&] {
            for_parts.check();
            // Everything is parsed and opened first, so that errors come before any output.
            request.check();
            if (part != 0 && part != 5 && !request.name().empty())
                throw UsageError("--part " + std::to_string(part) + " and " + request.name() +
                                 ": only part 5 would use it; leave out one of the two");
            if (part == 0 || part == 5) recognizer_for(request), model.open();
            const std::function<void()> parts[] = {
                [] { show_validation(); }, [] { show_members(); }, [] { show_alternatives(); },
                [] { show_requests(); }, [&] { show_guided(request, model); }};
            for (int i = 1; i <= 5; ++i) {
                if (part != 0 && i != part) continue;
                if (part == 0 && i > 1) std::printf("\n");
                parts[i - 1]();
            }
        });
}
