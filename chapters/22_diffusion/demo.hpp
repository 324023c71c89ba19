// Parts 1, 2, 6 and 7 of chapter 22's program; the others are in judged.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "chapters/22_diffusion/masked_model.hpp"
#include "chapters/22_diffusion/order.hpp"

namespace tbt {

// 1. Two masked places and three texts: the exact distribution of each sampler.
void show_distributions();
// Throws UsageError unless the text has one gap "___", with text on both sides.
void check_gap(const std::string& text);
// Files that part 2 also writes; an empty name means none.
struct GridFiles {
    std::string grid;                // a picture
    std::string html, trace;         // how each token was chosen: a page, JSON lines
    std::string command, directory;  // for the page: the command line, the model's directory
};
// 2. A text with a gap "___" of `tokens` tokens, each place filled with its most probable token;
// prints a line per step. The seed is that of a random order.
void show_grid(MaskedModel& model, const std::string& text, int tokens, const FillOptions& options,
               std::uint64_t seed, const GridFiles& files);
// 6. The bound of bits per byte beside the entropy floors, from the model's recipe.
void show_bound(const std::string& directory);
// 7. The time of a pass, the only part that measures time.
void show_times(MaskedModel& model, const std::string& storyteller);

}  // namespace tbt
