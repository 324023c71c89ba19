// A gap in a text, and the orders in which it can be filled.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/chain_step.hpp"
#include "chapters/22_diffusion/masked_model.hpp"

namespace CLI {
class App;
}

namespace tbt {

struct FillOptions {
    // random: places at random, one a step being the model's own distribution. confidence:
    // draws at every place and keeps what was most probable [Nie et al. 2025].
    std::string order = "random";
    int steps = 0;         // passes, each for as many places of a block; 0: a pass for each place
    int block_length = 0;  // blocks of so many places, from left to right; 0: all one block
    int best_of = 1;       // fillings, of which the likeliest is kept: a sharper distribution

    bool operator==(const FillOptions&) const = default;
};

// --diffusion-steps --diffusion-order --block-length --diffusion-best-of
void add_fill_options(CLI::App& app, FillOptions& options);
// Throws UsageError on values that make no sense.
void check_fill_options(const FillOptions& options);

struct Hole {
    Canvas row;
    std::size_t begin = 0, end = 0;  // the masked places
};

// `tokens` places between two texts, ends of text after them up to the model's canvas. tokens 0:
// all that the canvas has left, the length being the model's choice too. Throws Error where it is
// too long.
Hole hole_between(const MaskedModel& model, std::string_view before, std::string_view suffix,
                  int tokens);

// −ln p of the tokens at `places`, known one after the other: the mean over some orders that `draw`
// mixes. The mean over all orders is at least the model's own −ln p, as the loss is.
double cost_in_orders(const MaskedDistribution& distribution, const Canvas& row,
                      std::vector<std::size_t> places, int orders, const Draw& draw);

// Fills the masked places of the hole. sure: whose probabilities order by confidence and the choice
// of the likeliest look at, if not the distribution's. begins() is called before each filling;
// returns which was kept, 0 … best_of − 1.
std::size_t fill(Hole& hole, const MaskedDistribution& distribution, const Draw& draw,
                 const FillOptions& options, const MaskedDistribution& sure = {},
                 const std::function<void()>& begins = {});

// The logits of a place, −∞ for the `banned` ids. Valid until `logits` changes.
std::span<const float> open_logits(MaskedModel& model, const Canvas& row, std::size_t place,
                                   std::span<const int> banned, std::vector<float>& logits);

// The model's distribution after a chain of cuts (chapter 06) and without the `banned` ids.
// Model and chain must outlive it. Throws Error, when called, where nothing is left.
MaskedDistribution distribution_after(MaskedModel& model, const Chain& chain,
                                      std::vector<int> banned = {});

}  // namespace tbt
