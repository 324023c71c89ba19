// Chapter 21: Medusa. Heads on the model itself guess a tree of tokens, verified in one pass.
//
//   make run-21                               all parts
//   make run-21 ARGS="--part 1"               the acceptance rules by example; needs no model
//   make run-21 ARGS="--part 3 --times"       which tree is fastest on this machine
//   make run-21 ARGS="--part 4 --times"       heads compared with the other drafts
//
// Look for: the last distribution of part 1 is not p; the text of part 2 is that of plain decoding;
// part 3 shows how many guesses are worth their time; part 4 shows which draft guesses best.
#include <optional>
#include <string>
#include <vector>

#include "chapters/10_generate/generation_config.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/21_medusa/demo.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

namespace {

// The options of the model, its heads and the draws. Part 1 uses none of them; part 3 has trees of
// fixed sizes, part 4 its own temperatures.
void add_decoding_options(CommandLine line, PartOptions& parts, MedusaSettings& settings,
                          GenerateOptions& options) {
    const std::size_t before = line.options().size();
    add_heads_options(line.app(), settings);
    add_sampling_options(line.app(), options);
    add_model_options(line.app(), options);
    parts.add({2, 4}, line.declared("--medusa-nodes"));
    for (const char* name : {"--temperature", "--top-p", "--greedy", "--do-sample", "--preset",
                             "--watermark", "--mirostat", "--dynatemp-range"})
        parts.add({2, 3}, line.declared(name));
    const std::vector<DeclaredOption> all = line.options();
    for (std::size_t i = before; i < all.size(); ++i) parts.add({2, 3, 4}, all[i]);
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "Once upon a time";
    MedusaFiles files;
    files.command = shell_line(argc, argv);
    bool times = false;
    int part = 0;
    PartOptions for_parts(part);
    GenerateOptions options;
    MedusaSettings settings;
    settings.medusa = true;
    return run_program(
        argc, argv, "Chapter 21: Medusa, heads and trees.",
        [&](CommandLine line) {
            for_parts.add({2, 3}, prompt_option(line, prompt, " in parts 2 and 3"));
            part_option(line, part, 4, "1 needs no model");
            for_parts.add({3, 4},
                          line.option("--times", times, "what a pass takes, and what is gained"));
            for_parts.add({2},
                          line.option("--trace", files.trace, "write the rounds as JSON lines"));
            for_parts.add({2}, figure_option(line, files.figure, "a tree"));
            for_parts.add({2}, page_option(line, files.html));
            add_decoding_options(line, for_parts, settings, options);
        },
        [&] {
            for_parts.check();
            check_medusa(settings);
            if (part != 1) {
                use_generation_config(options);
                sampling_of(options);  // refuses contradictions, before the notes
                print_notes(without_effect(options));
            }
            if (times && options.threads == 0) options.threads = 1;
            std::optional<MedusaTour> tour;  // opened before anything is printed
            if (part != 1) tour.emplace(options, settings, prompt);
            if (for_parts.begin(1)) show_judges();
            if (tour && for_parts.begin(2)) show_text(*tour, files);
            if (tour && for_parts.begin(3)) show_trees(*tour, times);
            if (tour && for_parts.begin(4)) show_drafters(*tour, options, times);
        });
}
