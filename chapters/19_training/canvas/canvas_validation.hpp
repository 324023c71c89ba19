// Validates a masked model (chapter 22): an upper bound of its bits per byte, beside the entropy
// floor.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/19_training/validation.hpp"

namespace tbt {

// For a canvas of T tokens with k hidden places, k = 1 … T all equally likely:
//
//     −log2 p(text)  ≤  T · E_k[ mean of −log2 p(token) over the hidden ]
//
// The right side is estimated with a few random masks for each document, with k spread evenly over
// 1 … T. As in Validation, the generator's bits are those of its choices, here among documents that
// fit.
class CanvasValidation : public Validator {
public:
    // The first `documents` held-out documents of each genre that fit into T tokens.
    CanvasValidation(const DocumentSource& source, const Tokenizer& tokenizer, std::uint64_t seed,
                     std::int64_t documents, std::int64_t T);

    std::vector<GenreResult> run(const LossFunction& loss, std::int64_t context) const override;

private:
    struct Sample {
        std::size_t genre;
        std::vector<std::int32_t> canvas;
        std::int64_t bytes;
        double bits;
    };
    std::vector<double> fitting_;  // for each genre, the fraction of held-out documents that fits
    std::vector<Sample> samples_;
    int mask_;
};

}  // namespace tbt
