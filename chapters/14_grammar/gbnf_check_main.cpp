// Is a text in the language of a GBNF grammar? The recognizer that makes the masks
// reads it byte by byte.
//
//   build/gbnf_check GRAMMAR TEXTFILE
//   exit status 0: it is; 1: it is not; 2: the grammar is faulty or a file cannot be read
#include <cstdio>

#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string grammar, file;
    bool quiet = false, rejected = false;
    const int status = run_program(
        argc, argv,
        "Exit status 0: the text is in the language of the grammar; 1: it is not; 2: the grammar "
        "or a file is at "
        "fault.",
        [&](CommandLine line) {
            line.option("grammar", grammar, "a GBNF grammar").required();
            line.option("text", file, "the text to check, to its last byte").required();
            line.option("--quiet", quiet, "say nothing");
        },
        [&] {
            GrammarRecognizer recognizer(compile_gbnf(read_file(grammar), grammar));
            const std::string text = read_file(file);
            Recognizer::State state = recognizer.start();
            std::size_t read = 0;
            for (; read < text.size() && state != Recognizer::dead; ++read)
                state = recognizer.next(state, static_cast<unsigned char>(text[read]));
            rejected = state == Recognizer::dead || !recognizer.accepts(state);
            if (!rejected || quiet) return;
            if (state != Recognizer::dead) {
                std::printf("%s: rejected: it ends too early; bytes missing: at least %d\n",
                            file.c_str(), recognizer.closing_bytes(state));
            } else if (read == 0) {
                std::printf("%s: rejected: no text can be derived from this grammar\n",
                            file.c_str());
            } else {
                std::printf("%s: rejected at byte %zu, \"%s\"\n", file.c_str(), read,
                            visible(text.substr(read - 1, 1)).c_str());
            }
        });
    return status != 0 ? 2 : rejected ? 1 : 0;
}
