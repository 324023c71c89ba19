// Classifier-free guidance [Sanchez et al. 2023]: leads a text away from what would follow a
// negative prompt.
//
//   ln p'(token) = ln p(token | negative) + s · (ln p(token | prompt) − ln p(token | negative))
//
// up to a constant. s = 1 is the prompt alone; s > 1 amplifies the effect of the prompt on the
// text; s < 1 weakens it. In each step the model reads each text twice, after both prompts. The
// result is used like a model, so everything that needs a model's logits works with it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "chapters/10_generate/batch.hpp"

namespace tbt {

// The formula for one row: V logits after the prompt and V after the negative prompt. A token that
// either of them bans is banned.
void guide_logits(std::span<const float> positive, std::span<const float> negative, double scale,
                  std::span<float> guided);

// The two prompts of a text.
struct GuidancePrompts {
    std::size_t prompt_length = 0;
    std::vector<int> negative;  // ids, at least one
};

// A guided model. prompts_of(slot): the prompts of the text in that slot, which must be below
// `slots`.
BatchLogits with_guidance(BatchLogits model, double scale, std::size_t slots,
                          std::function<const GuidancePrompts&(std::size_t slot)> prompts_of);

// Contrastive decoding [Li et al. 2023; O'Brien & Lewis 2023]: favours what a large model has
// learnt and a small one (the amateur) has not.
//
//   ln p'(token) = (1 + β)·ln p(token) − β·ln a(token), up to a constant, where p(token) >= α·max p
//
// p is the distribution of the model, a that of the amateur. Tokens below the threshold α come only
// if a grammar or a ban leaves nothing else, with the model's probabilities. Without the threshold,
// a token that is absurd to both would win if it is more absurd to the amateur. The pair is used
// like one model, so everything that needs a model's logits works with it.
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
