// Texts with a hole in the middle, and who fills it: with both ends given, or with the beginning
// alone.
#pragma once

#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus.hpp"
#include "chapters/22_diffusion/masked_model.hpp"
#include "lib/model/model.hpp"

namespace tbt {

struct Gap {
    int genre = 0;            // in the corpus
    std::vector<int> tokens;  // the whole text
    std::size_t begin = 0, end = 0;

    // The canvas with the gap masked.
    Canvas row(const MaskedModel& model) const;
};

// Nobody chooses: of each genre the first `each` held-out documents that fit the canvas and have
// twice `length` tokens; the gap is the middle `length`.
std::vector<Gap> gaps(const Corpus& corpus, const std::vector<std::string>& genres,
                      const MaskedModel& model, int each, int length);

// Left to right: the most probable token after the beginning, `length` times; then the end.
std::string continued(Model& model, const Tokenizer& tokenizer, const Gap& gap);

// Mean of −ln p of a hidden token of the gap when j of its tokens are known, j = 0 … length − 1:
// `orders` random orders of each gap.
std::vector<double> cross_entropies(MaskedModel& model, const std::vector<Gap>& gaps, int orders);

}  // namespace tbt
