// Texts with a gap in the middle, to be filled with both ends given or from the beginning alone.
#pragma once

#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus.hpp"
#include "chapters/22_diffusion/masked_model.hpp"
#include "lib/files/model.hpp"

namespace tbt {

struct Gap {
    int genre = 0;            // in the corpus
    std::vector<int> tokens;  // the whole text
    std::size_t begin = 0, end = 0;

    // The canvas with the gap masked.
    Canvas row(const MaskedModel& model) const;
};

// The first `each` held-out documents of each genre that fit the canvas and have at least twice
// `length` tokens. The gap is the middle `length` tokens.
std::vector<Gap> gaps(const Corpus& corpus, const std::vector<std::string>& genres,
                      const MaskedModel& model, int each, int length);

// Decoding from left to right: greedily as many tokens as the gap has after the beginning, counted
// in `model`'s own tokens; then the given end.
std::string continued(Model& model, const Tokenizer& tokenizer, const Gap& gap);

// The mean of −ln p of a hidden token of the gap when j of its tokens are known, for
// j = 0 … length − 1, over `orders` random orders of each gap.
std::vector<double> cross_entropies(MaskedModel& model, const std::vector<Gap>& gaps, int orders);

}  // namespace tbt
