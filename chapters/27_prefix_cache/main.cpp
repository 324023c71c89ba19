// Chapter 27: a cache for everyone.
//
// Texts that begin alike share the pages of their keys and values.
//
//   make run-27                                all parts but the clock
//   make run-27 ARGS="--part 1"                one; 1 needs no model
//   make run-27 ARGS="--part 4"                time to first token on this machine
//
// Look for: how much of each text is known when it begins, and "differ 0" in the smallest memory.
#include <optional>
#include <string>

#include "chapters/27_prefix_cache/demo.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string directory = shipped_model("storyteller").string(), figure;
    int part = 0, slots = 4;
    PartOptions for_parts(part);
    return run_program(
        argc, argv, "Chapter 27: a cache for everyone.",
        [&](CommandLine line) {
            part_option(line, part, 4, "1 needs no model; 4 only where it is asked for");
            for_parts.add({2, 3, 4}, model_option(line, directory, " in parts 2 to 4"));
            for_parts.add({3}, line.option("--max-running", slots, "texts at a time, in part 3")
                                   .between(1, 20)
                                   .shows_default());
            for_parts.add({1}, figure_option(line, figure, "part 1"));
        },
        [&] {
            for_parts.check();
            std::optional<Model> model;  // what is wrong with it is said first
            if (part != 1) model = load_model(directory);
            if (!figure.empty()) write_pages_figure(figure);
            if (for_parts.begin(1)) show_pages();
            if (for_parts.begin(2)) show_questions(*model);
            if (for_parts.begin(3)) show_preemption(*model, slots);
            if (part == 4) show_times(*model);
        });
}
