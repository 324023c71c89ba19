// Chapter 25: today's models.
//
// A small Llama with random weights in plain code: one token through a layer, rotary positions,
// what each part changes, and what grouped heads save. No text: such weights know none.
//
//   make run-25                                     all five parts
//   make run-25 ARGS="--part 2"                     one
//
// Look for: "0 differ in a bit", and equal products at equal distances.
#include <string>

#include "chapters/25_todays_models/demo.hpp"
#include "chapters/25_todays_models/figures.hpp"
#include "chapters/25_todays_models/load_plain.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string figures;
    int part = 0;
    PartOptions for_parts(part);
    return run_program(
        argc, argv, "Chapter 25: today's models.",
        [&](CommandLine line) {
            part_option(line, part, 5);
            line.option("--figures", figures, "write the chapter's pictures (SVG) to this folder");
        },
        [&] {
            const PlainLlama llama = plain_llama(small_llama_config(), small_llama_weights());
            if (for_parts.begin(1)) show_layer(llama);
            if (for_parts.begin(2)) show_distances(llama);
            if (for_parts.begin(3)) show_parts(llama);
            if (for_parts.begin(4)) show_caches();
            if (for_parts.begin(5)) show_experts();
            if (!figures.empty()) write_figures(figures);
        });
}
