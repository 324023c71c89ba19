// Does a JSON text meet a JSON Schema? The machine that makes the masks reads it byte by byte.
//
//   build/schema_check SCHEMA INSTANCE
//   exit status 0: it does; 1: it does not; 2: a file or schema is at fault;
//               3: the schema uses a keyword that cannot be enforced, named on stderr
// What no grammar can know is worked out before the text is read: see judged_text.hpp.
#include <algorithm>
#include <cstdio>

#include "chapters/14_grammar/grammar_machine.hpp"
#include "chapters/16_json_schema/judged_text.hpp"
#include "chapters/16_json_schema/schema.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/program.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

std::string prepared(const std::string& text) {
    try {
        return judged_text(text);
    } catch (const UsageError& e) {
        throw UnsupportedSchema("number", "the instance",
                                std::string("cannot be judged: ") + e.what());
    }
}

// A list closed by the byte that marks it ends the text that is shown with its
// bracket, and the reason.
std::string shown_end(std::string text) {
    const bool repeated = !text.empty() && text.back() == repeats;
    std::replace(text.begin(), text.end(), repeats, ']');
    return "\"" + visible(text) + "\"" + (repeated ? ", a list with two equal items" : "");
}

// Where the schema rejects the text, for people; "": it does not.
std::string rejection(const std::string& text, GrammarMachine& machine) {
    ByteMachine::State state = machine.start();
    std::size_t read = 0;
    for (; read < text.size() && state != ByteMachine::dead; ++read)
        state = machine.next(state, static_cast<unsigned char>(text[read]));
    if (state == ByteMachine::dead) {
        const std::size_t first = read < 40 ? 0 : read - 40;
        return "rejected behind " + shown_end(text.substr(first, read - first));
    }
    if (machine.accepts(state)) return "";
    return "rejected: it ends too early, at least " + std::to_string(machine.closing_bytes(state)) +
           " bytes are missing";
}

}  // namespace

int main(int argc, char** argv) {
    std::string schema, file, fault;
    SchemaOptions options = SchemaOptions::judging();
    bool quiet = false, ignore_formats = false, unsupported = false;
    const int status = run_program(
        argc, argv,
        "Exit status 0: the instance meets the schema; 1: it does not; 2: a file or the schema is "
        "at fault; 3: a keyword is not supported.",
        [&](CLI::App& app) {
            app.add_option("schema", schema, "a JSON Schema")->required();
            app.add_option("instance", file, "the JSON text to judge")->required();
            app.add_option("--draft", options.draft,
                           "the draft of a schema without $schema: 4, 6, 7, 2019 or 2020")
                ->check(CLI::IsMember({4, 6, 7, 2019, 2020}));
            app.add_flag("--ignore-formats", ignore_formats,
                         "read format as a remark, which draft 2020-12 allows");
            app.add_flag("--strict", options.strict,
                         "refuse keywords and formats that are not known");
            app.add_flag("--quiet", quiet, "say nothing");
        },
        [&] {
            try {
                options.formats = !ignore_formats;
                if (quiet) options.warn = [](const std::string&) {};
                GrammarMachine machine(compile_schema(read_file(schema), options, schema));
                fault = rejection(prepared(read_file(file)), machine);
                if (!fault.empty() && !quiet) std::printf("%s: %s\n", file.c_str(), fault.c_str());
            } catch (const UnsupportedSchema&) {
                unsupported = true;
                throw;
            }
        });
    return unsupported ? 3 : status != 0 ? 2 : fault.empty() ? 0 : 1;
}
