// Chapter 23: the text generator, all of the course behind one command line.
// This is what `make run` and `make chat` call.
//
// Run it: make run PROMPT="Once upon a time", make run ARGS="--num-beams 4 -n 40",
// make run ARGS="--json-schema data/schemas/person.json --assistant-model sketch", make chat.
// Look for: with a draft the text is the same, in fewer passes (--stats); a text under a grammar
// needs fewer passes than it has tokens.
#include "chapters/23_text_generator/aliases.hpp"
#include "chapters/23_text_generator/writing.hpp"
#include "lib/machine/command_line.hpp"

int main(int argc, char** argv) {
    tbt::Settings settings;
    settings.command = tbt::shell_line(argc, argv);
    int status = 0;
    const int ran = tbt::run_program(
        argc, argv,
        "Continues texts with the model, by 200 tokens unless told otherwise; or talks (--chat).",
        [&](tbt::OptionTable& app) { tbt::add_options(app, settings); },
        [&] {
            tbt::complete(settings);
            if (settings.chat) tbt::talk(settings.options, settings.echo);
            else status = tbt::write(settings);
        },
        tbt::with_our_names);
    return ran != 0 ? ran : status;
}
