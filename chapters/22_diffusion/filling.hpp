// Fills a gap in a text, in one of several orders.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/chain_step.hpp"
#include "chapters/22_diffusion/masked_model.hpp"

namespace tbt {

struct OptionTable;

struct FillOptions {
    // random: fills places in random order; one place per step gives the model's own distribution.
    // confidence: draws at every place and keeps the most probable tokens [Nie et al. 2025].
    std::string order = "random";
    int steps = 0;         // passes, each for equally many places of a block; 0: one per place
    int block_length = 0;  // places of a block (blocks go from left to right); 0: one block
    int best_of = 1;       // fillings, of which the most probable one is kept

    bool operator==(const FillOptions&) const = default;
};

// Declares --diffusion-steps, --diffusion-order, --block-length and --diffusion-best-of.
void add_fill_options(OptionTable& app, FillOptions& options);
// Throws UsageError for values that are not allowed.
void check_fill_options(const FillOptions& options);

struct Hole {
    Canvas row;
    std::size_t begin = 0, end = 0;  // the masked places
};

// A row with `tokens` masked places between two texts, padded with end-of-text tokens to the length
// of the model's canvas. With tokens 0, all places that are left are masked, so the model chooses
// the length, too. Throws Error if the texts are too long for the canvas.
Hole hole_between(const MaskedModel& model, std::string_view before, std::string_view suffix,
                  int tokens);

// −ln p of the tokens at `places`, revealed one after the other: the mean over `orders` random
// orders. The mean over all orders is, like the loss, an upper bound for the model's −ln p.
double cost_in_orders(const MaskedDistribution& distribution, const Canvas& row,
                      std::vector<std::size_t> places, int orders, const Draw& draw);

// Fills the masked places of the hole. `sure`, if given, is the distribution whose probabilities
// decide the order by confidence and the most probable filling; otherwise `distribution` is used.
// begins() is called before each filling. Returns which filling was kept, 0 … best_of − 1.
std::size_t fill(Hole& hole, const MaskedDistribution& distribution, const Draw& draw,
                 const FillOptions& options, const MaskedDistribution& sure = {},
                 const std::function<void()>& begins = {});

// The logits at a place, with −∞ for the `banned` ids. `logits` is their memory.
std::span<const float> open_logits(MaskedModel& model, const Canvas& row, std::size_t place,
                                   std::span<const int> banned, std::vector<float>& logits);

// The model's distribution after a sampling chain (chapter 06) and without the `banned` ids. Model
// and chain must outlive it. When called, it throws Error if no id is left.
MaskedDistribution distribution_after(MaskedModel& model, const Chain& chain,
                                      std::vector<int> banned = {});

}  // namespace tbt
