// Is a file JSON? The machine that makes the masks reads it byte by byte.
//
//   build/json_check FILE      exit status 0: it is; 1: it is not; 2: the file cannot be read
#include <cstdio>
#include <cstdlib>

#include "lib/grammar/recognizer/json_grammar.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string file;
    bool quiet = false, rejected = false;
    const int status = run_program(
        argc, argv,
        "Exit status 0: the file is JSON (RFC 8259); 1: it is not; 2: it cannot be read.",
        [&](CommandLine line) {
            line.option("file", file, "the file to judge").required();
            line.option("--quiet", quiet, "say nothing");
        },
        [&] {
            const std::string text = read_file(file);
            JsonMachine machine(JsonOptions::rfc());
            ByteMachine::State state = machine.start();
            for (std::size_t i = 0; i < text.size() && !rejected; ++i) {
                const auto before = state;
                state = machine.next(state, static_cast<unsigned char>(text[i]));
                if (state != ByteMachine::dead) continue;
                rejected = true;
                if (!quiet) {
                    std::printf("%s: not JSON: byte %zu is \"%s\", where the machine is %s\n",
                                file.c_str(), i + 1, visible(text.substr(i, 1)).c_str(),
                                JsonMachine::name(JsonMachine::unpack(before).mode));
                }
            }
            if (rejected || machine.accepts(state)) return;
            rejected = true;
            if (!quiet)
                std::printf("%s: not JSON: it ends too early, at least %d bytes are missing\n",
                            file.c_str(), machine.closing_bytes(state));
        });
    return status != 0 ? 2 : rejected ? 1 : 0;
}
