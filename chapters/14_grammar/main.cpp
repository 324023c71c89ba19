// Chapter 14: a grammar, or all derivations side by side.
//
//   make run-14                                                      all parts
//   make run-14 ARGS='--part 1 --text 1+23+4'                        another text
//   make run-14 ARGS='--part 5 --grammar data/grammars/date.gbnf'    a model under another grammar
//
// Look for: part 1, where one byte continues some derivations and ends the others.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "chapters/14_grammar/demo.hpp"
#include "chapters/14_grammar/guided_model.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string text = "1+2", grammar = shipped_file("grammars/report.gbnf"), figure;
    int part = 0;
    PartOptions for_parts(part);
    GuidedModel model("The weather today is", 2);
    model.command = shell_line(argc, argv);
    return run_program(
        argc, argv, "Chapter 14: grammars, and masks from them.",
        [&](CommandLine line) {
            part_option(line, part, 5);
            for_parts.add({1}, line.option("--text", text, "what part 1 reads"));
            for_parts.add({3, 5}, line.option("--grammar", grammar, "a file in GBNF"));
            for (const DeclaredOption& option : model.add_options(line)) {
                const bool for_masks = option.name() == "--model";
                for_parts.add(for_masks ? std::vector{3, 5} : std::vector{5}, option);
            }
            figure_option(line, figure, "part 1");
        },
        [&] {
            for_parts.check();
            // Files are opened first, so that errors are reported before any output.
            std::shared_ptr<GrammarRecognizer> held;
            if (part == 0 || part == 3 || part == 5)
                held =
                    std::make_shared<GrammarRecognizer>(compile_gbnf(read_file(grammar), grammar)),
                model.words = words_of_gbnf(read_file(grammar), grammar), model.open();
            if (!figure.empty()) write_derivations(figure, text);
            const std::function<void()> parts[] = {
                [&] { show_derivations(text); }, [] { show_sharing(); },
                [&] { show_masks(grammar, model.model); }, [] { show_sizes(); },
                [&] { model.show(5, "--grammar " + grammar, held); }};
            for (int i = 1; i <= 5; ++i) {
                if (part != 0 && i != part) continue;
                if (part == 0 && i > 1) std::printf("\n");
                parts[i - 1]();
            }
        });
}
