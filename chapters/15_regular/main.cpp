// Chapter 15: regular expressions, numbers and formats as automata.
//
//   make run-15                                      all parts
//   make run-15 ARGS='--part 3 --from 7 --to 1000'   a range, digit by digit
//   make run-15 ARGS='--part 1 --expression "(ab|a)*c" --text aabc'
//                                                    another expression, byte by byte
//
// Look for: part 2, where what may still come turns out to be one of four things, for ever.
#include <cstdio>
#include <functional>
#include <string>

#include "chapters/14_grammar/grammar_machine.hpp"
#include "chapters/14_grammar/guided_model.hpp"
#include "chapters/15_regular/automaton_figure.hpp"
#include "chapters/15_regular/parts.hpp"
#include "chapters/15_regular/regex.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/part_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string regex = "-?(0|[1-9][0-9]*)", text = "-40", low = "18", high = "120", figure;
    std::string pattern = " [A-Z][a-z]+, and I am [1-9][0-9]? years old\\.";
    int part = 0;
    PartOptions for_parts(part);
    GuidedModel model("My name is", 1);
    return run_program(
        argc, argv, "Chapter 15: regular expressions, numbers and formats as automata.",
        [&](CommandLine line) {
            line.option("--part", part, "only this part, 1 to 6").between(1, 6);
            for_parts.add({1, 2}, line.option("--expression", regex, "what parts 1 and 2 follow"));
            for_parts.add({1}, line.option("--text", text, "what part 1 reads"));
            for_parts.add({3}, line.option("--from", low, "where the range of part 3 begins"));
            for_parts.add({3}, line.option("--to", high, "… and where it ends"));
            for_parts.add({6}, line.option("--regex", pattern, "what the model is held to"));
            for (const DeclaredOption& option : model.add_options(line)) for_parts.add({6}, option);
            line.option("--figure", figure, "write the automaton of part 2 as a picture (SVG)");
        },
        [&] {
            for_parts.check();
            const std::function<void()> parts[] = {
                [&] { show_derivatives(regex, text); },
                [&] { show_states(regex); },
                [&] { show_range(low, high); },
                [] { show_dates(); },
                [] { show_sets(); },
                [&] {
                    model.show(6, "--regex " + pattern,
                               std::make_shared<GrammarMachine>(grammar_of(regex_whole(pattern))));
                }};
            for (int i = 1; i <= 6; ++i) {
                if (part != 0 && i != part) continue;
                if (part == 0 && i > 1) std::printf("\n");
                parts[i - 1]();
            }
            if (!figure.empty())
                write_automaton(figure, automaton_of(plain_of(parse_regex(regex))), regex);
        });
}
