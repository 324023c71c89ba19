// Contrastive decoding [Li et al. 2023; O'Brien & Lewis 2023]: what a large model has learnt and a
// small one has not.
//
//   ln p'(token) = (1 + β)·ln p(token) − β·ln a(token), up to a constant, where p(token) >= α·max p
//
// p is the distribution of the model, a that of the amateur. Other tokens come only where a form or
// a ban leaves nothing else, by the distribution of the model. Without that border a token that
// both find absurd would win wherever the amateur finds it more absurd. It is a model made of two,
// so everything that asks a model for logits works with it.
#pragma once

#include <span>

#include "chapters/10_generate/batch.hpp"

namespace tbt {

struct Contrast {
    double strength = 0.5;   // β; 0: the model alone, but for the border
    double plausible = 0.1;  // α; 0: no border
};

// Throws UsageError unless the strength is 0 or more and the border from 0 to 1.
void check_contrast(const Contrast& contrast);

// The formula for one row: logits (V) of the model and of the amateur.
void contrast_logits(std::span<const float> model, std::span<const float> amateur,
                     const Contrast& contrast, std::span<float> contrasted);

// Both read every text. The models must outlive it.
BatchLogits with_contrast(BatchLogits model, BatchLogits amateur, const Contrast& contrast);

}  // namespace tbt
