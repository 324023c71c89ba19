// Contrastive decoding [Li et al. 2023; O'Brien & Lewis 2023]: favours what a large model has
// learnt and a small one (the amateur) has not.
//
//   ln p'(token) = (1 + β)·ln p(token) − β·ln a(token), up to a constant, where p(token) >= α·max p
//
// p is the distribution of the model, a that of the amateur. Tokens below the threshold α come only
// if a grammar or a ban leaves nothing else, with the model's probabilities. Without the threshold,
// a token that is absurd to both would win if it is more absurd to the amateur. The pair is used
// like one model, so everything that needs a model's logits works with it.
#pragma once

#include <span>

#include "chapters/10_generate/batch.hpp"

namespace tbt {

struct Contrast {
    double strength = 0.5;   // β; 0: the model alone, with the threshold
    double plausible = 0.1;  // α; 0: no threshold
};

// Throws UsageError unless the strength is 0 or more and the threshold from 0 to 1.
void check_contrast(const Contrast& contrast);

// The formula for one row: V logits of the model and V of the amateur.
void contrast_logits(std::span<const float> model, std::span<const float> amateur,
                     const Contrast& contrast, std::span<float> contrasted);

// Combines two models; both read every text. They must outlive the result.
BatchLogits with_contrast(BatchLogits model, BatchLogits amateur, const Contrast& contrast);

}  // namespace tbt
