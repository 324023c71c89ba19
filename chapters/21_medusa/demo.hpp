// The parts of chapter 21's program.
#pragma once

#include <string>

#include "chapters/10_generate/options/options.hpp"
#include "chapters/21_medusa/options.hpp"

namespace tbt {

// 1: a tree, its mask, and the distributions of its judges, by going through every outcome.
// Needs no model.
void show_judges();

// What the other parts need: a model, its heads, a request.
struct MedusaTour {
    MedusaTour(const GenerateOptions& options, const MedusaSettings& settings,
               const std::string& prompt);
    Model model;
    Heads heads;
    GenerateRequest request;
    std::vector<int> prompt;
    int nodes;
    std::string shown_prompt, directory;  // of the model
};

// 2: a text, round by round; files: empty: none. command: as it was typed, for the page.
struct MedusaFiles {
    std::string trace, figure, html, command;
};
void show_text(MedusaTour& tour, const MedusaFiles& files);

// 3: how often each guess of each head is right, then trees of more and more nodes: tokens a pass,
// predicted and counted; with the clock also what a pass takes and what is gained (processor time
// of one thread, so that others do not disturb).
void show_trees(MedusaTour& tour, bool times);

}  // namespace tbt
