// The parts of chapter 21's program.
#pragma once

#include <string>

#include "chapters/10_generate/options.hpp"
#include "chapters/21_medusa/options.hpp"

namespace tbt {

// 1: a tree, its mask, and the exact distribution of each acceptance rule, by enumerating every
// outcome. It needs no model.
void show_judges();

// The data of the other parts: a model, its heads, a request.
struct MedusaTour {
    MedusaTour(const GenerateOptions& options, const MedusaSettings& settings,
               const std::string& prompt);
    Model model;
    Heads heads;
    GenerateRequest request;
    std::vector<int> prompt;
    int nodes;
    std::string shown_prompt, directory;  // directory: the model's
};

// 2: a text, round by round. An empty file name means no file; `command` is the command line, for
// the page.
struct MedusaFiles {
    std::string trace, figure, html, command;
};
void show_text(MedusaTour& tour, const MedusaFiles& files);

// 3: how often each guess of each head is right, then trees with more and more nodes: tokens per
// pass, predicted and counted. With `times` also the time of a pass and the speed-up (processor
// time of one thread, so that other programs do not disturb the measurement).
void show_trees(MedusaTour& tour, bool times);

// The options of part 4 at a temperature of its own. What else says how to draw is left out.
GenerateOptions drawn_at(double temperature, const GenerateOptions& options);

// 4: heads compared with the drafts of chapter 12: the tokens per pass without a draft, with
// lookup, with sketch and with heads, greedily and sampled. All are coupled by seed, so all write
// the same texts. With `times` also the speed
// relative to plain decoding (processor time of one thread).
void show_drafters(MedusaTour& tour, const GenerateOptions& options, bool times);

}  // namespace tbt
