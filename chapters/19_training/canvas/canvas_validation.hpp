// How good is a model that fills masks? The bound of its bits per byte, beside the entropy floor.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/19_training/validation.hpp"

namespace tbt {

// Of a canvas of T tokens, with k hidden places, k = 1 … T all equally likely:
//
//     −log2 p(text)  ≤  T · E_k[ mean of −log2 p(token) over the hidden ]
//
// The right side is estimated with some maskings a document, k spread evenly over 1 … T. The
// generator's bits are, as in Validation, those of its choices, among documents that fit.
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
    std::vector<double> fitting_;  // of each genre's held-out documents, the share that fits
    std::vector<Sample> samples_;
    int mask_;
};

}  // namespace tbt
