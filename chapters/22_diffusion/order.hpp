// Which masks of a gap are filled in which pass, whatever model fills them.
#pragma once

#include <cstddef>
#include <string>

#include "chapters/22_diffusion/plain_diffusion.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

struct FillOptions {
    // random: fills places in random order; one place per step gives the model's own distribution.
    // confidence: draws at every place and keeps the most probable tokens [Nie et al. 2025].
    std::string order = "random";
    int steps = 0;         // passes, over which the places are split evenly; 0: one per place
    int block_length = 0;  // places of a block (blocks go from left to right); 0: one block
    int best_of = 1;       // fillings, of which the most probable one is kept

    bool operator==(const FillOptions&) const = default;
};

struct Hole {
    Canvas row;
    std::size_t begin = 0, end = 0;  // the masked places
};

// Fills the masked places of the hole once, whatever best_of is. `sure`, if given, is the
// distribution whose probabilities decide the order by confidence.
void fill_once(Hole& hole, const MaskedDistribution& distribution, const Draw& draw,
               const FillOptions& options, const MaskedDistribution& sure = {});

// The same model with all probability on its most probable token, for samplers that draw.
MaskedDistribution greedy(const MaskedDistribution& model);
// Draws at random; the generator must outlive it.
Draw drawing(Rng& rng);
// Always takes the most probable id, the first one of several.
Draw most_probable();

}  // namespace tbt
