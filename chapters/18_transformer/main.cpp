// Chapter 18: a whole transformer in plain C++.
//
// One forward pass in plain code with the shipped model: the sizes of all parts, how the last row
// changes from layer to layer, which tokens the heads attend to, what the model would predict after
// each layer, the loss without each head, and the time of plain and fast code.
//
//   make run-18                                     parts 1 to 5
//   make run-18 ARGS="--part 6"                     the part that measures time
//   make run-18 ARGS='--part 4 "Once upon a"'       another text
//   make run-18 ARGS='--part 7 --layer 2 --head 3'  all weights of a head
//
// Look for: "0 differ in a bit".
#include <cstdio>
#include <functional>
#include <string>

#include "chapters/18_transformer/demo.hpp"
#include "chapters/18_transformer/figures.hpp"
#include "chapters/18_transformer/load_plain.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string prompt = "The weather today is", heads, machine;
    std::string directory = model_directory("storyteller");
    int part = 0, layer = 3, head = 1;
    PartOptions for_parts(part);
    std::vector<DeclaredOption> rare;
    return run_program(
        argc, argv, "Chapter 18: a whole transformer in plain C++.",
        [&](CommandLine line) {
            for_parts.add({2, 4, 7}, line.option("prompt", prompt, "the text that goes in"));
            line.option("--part", part, "only this part, 1 to 7; without it 1 to 5").between(1, 7);
            rare = {line.option("--layer", layer, "of part 7, from 0").shows_default(),
                    line.option("--head", head, "of that layer").shows_default()};
            model_option(line, directory);
            line.option("--heads", heads, "write what four heads look at as a picture (SVG)");
            line.option("--machine", machine, "write the whole model as a picture (SVG)");
        },
        [&] {
            for_parts.check();
            if (part != 7 && (rare[0].given() || rare[1].given()))
                throw UsageError("--layer and --head: only part 7 uses them; add --part 7");
            const PlainGpt gpt = load_plain_gpt(directory);
            GptModel model = load_gpt(directory, {0, false});
            const std::function<void()> parts[] = {
                [&] { show_sizes(gpt); },
                [&] { show_pass(gpt, model, prompt); },
                [&] { show_heads(gpt, model.tokenizer); },
                [&] { show_lens(gpt, model.tokenizer, prompt); },
                [&] { show_cuts(gpt, model.tokenizer); },
                [&] { show_times(gpt, directory); },
                [&] { show_weights(gpt, model.tokenizer, prompt, layer, head); }};
            for (int i = 1; i <= 7; ++i) {
                if (part == 0 ? i >= 6 : i != part) continue;
                if (part == 0 && i > 1) std::printf("\n");
                parts[i - 1]();
            }
            if (!heads.empty()) write_heads(heads, gpt, model.tokenizer);
            if (!machine.empty()) write_machine(machine, gpt);
        });
}
