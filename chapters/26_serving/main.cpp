// Chapter 26: serving.
//
// Many requests share one model: a scheduler decides who takes part in each forward pass.
//
//   make run-26                                     all three parts
//   make run-26 ARGS="--part 1"                     one; 1 and 2 need no model
//   make run-26 ARGS="--part 3 --max-running 8"     all eight at once
//
// Look for: the dots, which are slots that nobody uses, and "0 texts differ".
#include <optional>
#include <string>

#include "chapters/26_serving/demo.hpp"
#include "lib/core/check.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string directory = shipped_model("storyteller").string(), figure;
    int part = 0, slots = 3, budget = 8;
    PartOptions for_parts(part);
    return run_program(
        argc, argv, "Chapter 26: serving.",
        [&](CommandLine line) {
            part_option(line, part, 3, "1 and 2 need no model");
            for_parts.add({3}, model_option(line, directory, " in part 3"));
            for_parts.add({3}, line.option("--max-running", slots, "texts at a time, in part 3")
                                   .between(1, 8)
                                   .shows_default());
            for_parts.add({3}, line.option("--max-batch-tokens", budget,
                                           "tokens that a pass reads, in part 3: as many as texts "
                                           "run, or more")
                                   .above_zero()
                                   .shows_default());
            for_parts.add({1}, figure_option(line, figure, "part 1"));
        },
        [&] {
            for_parts.check();
            check_at_least("--max-batch-tokens", budget, slots);
            std::optional<Model> model;  // what is wrong with it is said first
            if (part == 0 || part == 3) model = load_model(directory);
            if (!figure.empty()) write_slots_figure(figure);
            if (for_parts.begin(1)) show_slots();
            if (for_parts.begin(2)) show_chunks();
            if (for_parts.begin(3)) show_texts(*model, slots, budget);
        });
}
