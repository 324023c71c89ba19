// How far greedy decoding and the beams are from the best text there is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "lib/files/model.hpp"

namespace tbt {

// The text of one beam: greedy decoding under the same request.
BeamText greedy_text(CachedBatch& batch, BeamRequest request, std::span<const int> prompt);

// The log-probabilities of a text's tokens, as a search adds them up.
std::vector<double> log_probabilities(Transformer& gpt, const BeamRequest& request,
                                      const std::vector<int>& prompt,
                                      const std::vector<int>& generated);

// A text on one line, cut to so many columns.
std::string shortened(const std::string& text, int width);

// Where greedy decoding leaves the best text's path, what the detour costs and when it has paid,
// or where the beams dropped greedy's text though it is better.
void print_departure(Model& model, const BeamRequest& request, const std::vector<int>& prompt,
                     const BeamText& greedy, const BeamText& best,
                     const std::vector<LatticeNode>& lattice);

// 1 to 16 beams beside the best of all texts of at most `horizon` tokens, by exhaustive search.
void print_gap(Model& model, BeamRequest request, const std::vector<int>& prompt, int horizon);

// Demonstrations of what beam search does, well and badly.

void show_trees();                  // part 1: two trees: two beams lose, two beams win
void show_probes(Model& model);     // part 2: sentences that greedy decoding misses
void show_lengths(Model& model);    // part 3: length bias
void show_blandness(Model& model);  // part 4: more probable, more repetitive
void show_diversity(Model& model);  // part 5: groups of beams, beams that are drawn

}  // namespace tbt
