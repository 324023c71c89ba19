// Demonstrations of what beam search does, well and badly.
#pragma once

#include "lib/files/model.hpp"

namespace tbt {

void show_trees();                  // part 1: two trees: two beams lose, two beams win
void show_probes(Model& model);     // part 2: sentences that greedy decoding misses
void show_lengths(Model& model);    // part 3: length bias
void show_blandness(Model& model);  // part 4: more probable, more repetitive
void show_diversity(Model& model);  // part 5: groups of beams, beams that are drawn

}  // namespace tbt
