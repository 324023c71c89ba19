// Chapter 22: masked diffusion, which writes a text in any order.
//
// Run it: make run-22, or make run-22 ARGS="--part 3"; --part 7 measures time. To train a model:
// make train-diffusion, then make run-22 ARGS="--model build/models/diffusion".
//
// Look for: the third column of part 1, and the last row of part 3.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chapters/10_generate/tools/page.hpp"
#include "chapters/22_diffusion/demo.hpp"
#include "chapters/22_diffusion/filling.hpp"
#include "chapters/22_diffusion/tools/judged.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

namespace {

// Parts 3 to 5, whose texts the recognizer checks.
void show_judged(const PartOptions& parts, MaskedModel& model, const std::string& storyteller,
                 const std::string& corpus, const std::string& figure, int best_of) {
    const Corpus world = Corpus::load(corpus);
    Model other = load_model(storyteller);
    if (parts.begin(3)) show_gaps(model, other, world, best_of);
    if (parts.begin(4)) show_steps(model, world, figure);
    if (parts.begin(5)) show_empty(model, world);
}

// The options of part 2.
void add_grid_options(CommandLine line, PartOptions& parts, GridFiles& files, FillOptions& fill,
                      std::uint64_t& seed, int& tokens) {
    parts.add({2}, line.option("--tokens", tokens, "of the gap").between(1, 64));
    add_order_options(line, fill);
    for (const char* name : {"--diffusion-steps", "--diffusion-order", "--block-length"})
        parts.add({2}, line.declared(name));
    parts.add({2}, seed_option(line, seed).says("of the random order"));
    parts.add({2}, line.option("--grid", files.grid, "the grid as a picture (SVG)"));
    parts.add({2}, page_option(line, files.html));
    parts.add({2}, trace_option(line, files.trace));
}

// The models and the corpus; part 1 needs none of them.
void add_sources(CommandLine line, PartOptions& parts, std::string& directory,
                 std::string& storyteller, std::string& corpus) {
    parts.add({2, 3, 4, 5, 6, 7},
              line.option("--model", directory, "a model that fills masks").shows_default());
    parts.add({3, 7}, line.option("--storyteller", storyteller, "the one that writes left to right")
                          .shows_default());
    parts.add({3, 4, 5},
              line.option("--corpus", corpus, "folder of the grammar files").shows_default());
}

}  // namespace

int main(int argc, char** argv) {
    GridFiles files{"", "", "", shell_line(argc, argv), shipped_model("diffusion").string()};
    std::string &directory = files.directory, corpus = "data/corpus",
                storyteller = shipped_model("storyteller").string(), figure,
                text = "I'm going to the beach to build a___ Would you like to come with us?";
    int part = 0, tokens = 12, best_of = 1;
    FillOptions fill{"confidence", 6};
    std::uint64_t seed = 0;
    PartOptions for_parts(part);
    return run_program(
        argc, argv, "Chapter 22: masked diffusion.",
        [&](CommandLine line) {
            for_parts.add({2}, line.option("text", text, "a text with a gap ___"));
            add_grid_options(line, for_parts, files, fill, seed, tokens);
            line.option("--part", part, "only this part, 1 to 7; without it 1 to 6").between(1, 7);
            add_sources(line, for_parts, directory, storyteller, corpus);
            for_parts.add(
                {3},
                line.option("--best-of", best_of, "also the best of this many").between(1, 1000));
            for_parts.add({4}, line.option("--figure", figure, "steps as a picture (SVG)"));
        },
        [&] {
            for_parts.check();
            check_gap(text);
            check_fill_options(fill);
            // Load the model first, to report errors before anything is printed.
            std::optional<MaskedModel> model;
            if (part != 1) model.emplace(MaskedModel::load(directory));
            const bool judged = part == 0 || (part >= 3 && part <= 5);
            if (judged) Corpus::load(corpus), load_model(storyteller);
            if (for_parts.begin(1)) show_distributions();
            if (for_parts.begin(2)) show_grid(*model, text, tokens, fill, seed, files);
            if (judged) show_judged(for_parts, *model, storyteller, corpus, figure, best_of);
            if (for_parts.begin(6)) show_bound(directory);
            if (part == 7) show_times(*model, storyteller);
        });
}
