// Parts 1, 2, 6 and 7 of chapter 22's program; the judged ones are in judged.hpp.
#pragma once

#include <string>

#include "chapters/22_diffusion/masked_model.hpp"

namespace tbt {

// 1. Two masked places and three texts: the exact distribution of each sampler.
void show_distributions();
// Throws UsageError unless the text has one gap "___", with text on both sides.
void check_gap(const std::string& text);
// What part 2 writes besides: files, empty where they are not wanted.
struct GridFiles {
    std::string grid;                // a picture
    std::string html, trace;         // how each token came about: a page, JSON lines
    std::string command, directory;  // for the page: what was typed, and where the model is
};
// 2. A text with a gap "___" of so many tokens, filled two places a step; one line a step.
void show_grid(MaskedModel& model, const std::string& text, int tokens, const GridFiles& files);
// 6. The bound of bits per byte beside the floors, from the model's recipe.
void show_bound(const std::string& directory);
// 7. What a pass costs. The only part with a clock.
void show_times(MaskedModel& model, const std::string& storyteller);

}  // namespace tbt
