// Diverse beam search [Vijayakumar et al. 2018]: G groups of B/G beams that keep out
// of each other's way.
//
//   ln p'(token) = ln p(token) − λ · (beams of earlier groups that took the token in this step)
//
// The best B texts of one search are often one text with other punctuation.
// The first group searches as ever; each later one pays for walking in step with those before it.
// All beams still share one forward pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/11_beam_search/beam_search.hpp"
#include "lib/core/index.hpp"

namespace tbt {

void check_groups(const BeamRequest& request, int groups, double penalty);

// A search under way, in one group or several: as BeamSearch is driven, texts() and step().
class DiverseSearch {
public:
    DiverseSearch(const BeamRequest& request, int groups, double penalty,
                  std::span<const int> prompt);

    bool done() const;
    // Beam i of group g is kept in slot first_slot + g·(B/G) + i.
    std::vector<BatchText> texts(std::size_t first_slot = 0);
    // The rows of logits (V) that texts() asked for, group after group.
    void step(std::span<const std::span<const float>> rows);
    void interrupt();

    // The best of all groups, the best first. Their scores include what they paid.
    std::vector<BeamText> results() const;
    const std::vector<BeamSearch>& groups() const { return searches_; }

private:
    struct State {  // keeps its place when the search is moved
        BeamRequest whole;
        std::vector<BeamRequest> requests;  // of each group
        std::vector<int> taken;             // in this step, by earlier groups
    };

    // The share of one group: so many beams, its own luck, and the price of what is taken.
    // The groups go in step, so none of them is read ahead.
    void divide(BeamRequest& r, int beams, double penalty);

    std::unique_ptr<State> state_;
    std::vector<BeamSearch> searches_;
};

// Several searches side by side, their beams in one forward pass a step; search i keeps its beams
// from slot i·slots on. go_on, when given, is asked before each pass; false ends them all.
void run_searches(const BatchLogits& model, std::span<DiverseSearch> searches, std::size_t slots,
                  const std::function<bool()>& go_on = {});

std::vector<BeamText> diverse_beam_search(const BatchLogits& model, const BeamRequest& request,
                                          int groups, double penalty, std::span<const int> prompt);

}  // namespace tbt
