// Is a file JSON? The recognizer that makes the masks reads it byte by byte.
//
//   build/json_check FILE      exit status 0: it is; 1: it is not; 2: the file cannot be read
#include <cstdio>
#include <cstdlib>

#include "lib/grammar/recognizer/json_recognizer.hpp"
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
            line.option("file", file, "the file to check").required();
            line.option("--quiet", quiet, "say nothing");
        },
        [&] {
            const std::string text = read_file(file);
            JsonRecognizer recognizer(JsonOptions::rfc());
            Recognizer::State state = recognizer.start();
            for (std::size_t i = 0; i < text.size() && !rejected; ++i) {
                const auto before = state;
                state = recognizer.next(state, static_cast<unsigned char>(text[i]));
                if (state != Recognizer::dead) continue;
                rejected = true;
                if (quiet) continue;
                // "a value" may come here; or we are "in a string".
                std::string here = JsonRecognizer::name(JsonRecognizer::unpack(before).mode);
                if (here.starts_with("a ")) here = "where " + here + " is expected";
                std::printf("%s: not JSON: byte %zu is \"%s\", %s\n", file.c_str(), i + 1,
                            visible(text.substr(i, 1)).c_str(), here.c_str());
            }
            if (rejected || recognizer.accepts(state)) return;
            rejected = true;
            if (!quiet)
                std::printf("%s: not JSON: it ends too early; bytes missing: at least %d\n",
                            file.c_str(), recognizer.closing_bytes(state));
        });
    return status != 0 ? 2 : rejected ? 1 : 0;
}
