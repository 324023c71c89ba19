// Fills a gap in a text, in one of several orders.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/22_diffusion/masked_model.hpp"
#include "chapters/22_diffusion/order.hpp"

namespace tbt {

struct OptionTable;
class CommandLine;

// Declares --diffusion-steps, --diffusion-order and --block-length.
void add_order_options(CommandLine line, FillOptions& options);
// And --diffusion-best-of.
void add_fill_options(OptionTable& app, FillOptions& options);
// Throws UsageError for values that are not allowed.
void check_fill_options(const FillOptions& options);

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
