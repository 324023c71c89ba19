// Chapter 15: regular expressions, numbers and formats as automata.
//
//   make run-15                                      all parts
//   make run-15 ARGS='--part 3 --from 7 --to 1000'   a range, digit by digit
//   make run-15 ARGS='--part 1 --expression "(ab|a)*c" --text aabc'
//                                                    another expression, byte by byte
//
// Look for: part 2, where what may still come is always one of four expressions.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "chapters/14_grammar/guided_model.hpp"
#include "chapters/15_regular/automaton_figure.hpp"
#include "chapters/15_regular/demo.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

namespace {

struct Options {
    std::string regex = "-?(0|[1-9][0-9]*)", text = "-40", low = "18", high = "120", figure;
    std::string pattern = " [A-Z][a-z]+, and I am [1-9][0-9]? years old\\.";
    int part = 0;
    PartOptions for_parts{part};
    GuidedModel model{"My name is", 1};
};

void declare(CommandLine& line, Options& o) {
    part_option(line, o.part, 6);
    o.for_parts.add(
        {1, 2}, line.option("--expression", o.regex, "the regular expression of parts 1 and 2"));
    o.for_parts.add({1}, line.option("--text", o.text, "what part 1 reads"));
    o.for_parts.add({3}, line.option("--from", o.low, "where the range of part 3 begins"));
    o.for_parts.add({3}, line.option("--to", o.high, "… and where it ends"));
    o.for_parts.add(
        {6}, line.option("--regex", o.pattern, "the expression that the model's text must match"));
    for (const DeclaredOption& option : o.model.add_options(line)) o.for_parts.add({6}, option);
    figure_option(line, o.figure, "the automaton of part 2");
}

void check_range(const std::string& low, const std::string& high) {
    const Dfa whole = regex_full_match("-?[0-9]{1,100}");
    for (const auto& [name, text] : {std::pair{"--from", low}, {"--to", high}})
        if (!whole.accepts(text))
            throw UsageError(std::string(name) + ": got '" + text + "', expected a whole number");
    if ((at_least(Decimal::parse(low), false) & at_most(Decimal::parse(high), false)).empty())
        throw UsageError("--from " + low + " --to " + high +
                         ": no number is in between; the smaller one comes first");
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    o.model.command = shell_line(argc, argv);
    return run_program(
        argc, argv, "Chapter 15: regular expressions, numbers and formats as automata.",
        [&](CommandLine line) { declare(line, o); },
        [&] {
            o.for_parts.check();
            // Everything is parsed and opened first, so that errors come before any output.
            const auto shown = [&](int n) { return o.part == 0 || o.part == n; };
            const Regex expression = plain_of(parse_regex(o.regex));
            if (shown(2)) automaton_of(expression);
            if (shown(3)) check_range(o.low, o.high);
            std::shared_ptr<GrammarRecognizer> held;
            if (shown(6))
                held = std::make_shared<GrammarRecognizer>(grammar_of(regex_full_match(o.pattern))),
                o.model.open();
            if (!o.figure.empty()) write_automaton(o.figure, automaton_of(expression), o.regex);
            const std::function<void()> parts[] = {
                [&] { show_derivatives(o.regex, o.text); },
                [&] { show_states(o.regex); },
                [&] { show_range(o.low, o.high); },
                [] { show_dates(); },
                [] { show_sets(); },
                [&] { o.model.show(6, "--regex " + o.pattern, held); }};
            for (int i = 1; i <= 6; ++i) {
                if (!shown(i)) continue;
                if (o.part == 0 && i > 1) std::printf("\n");
                parts[i - 1]();
            }
        });
}
