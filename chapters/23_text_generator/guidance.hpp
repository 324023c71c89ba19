// Classifier-free guidance [Sanchez et al. 2023]: away from what a negative prompt would say.
//
//   ln p'(token) = ln p(token | negative) + s · (ln p(token | prompt) − ln p(token | negative))
//
// up to a constant. s = 1 is the prompt alone, s > 1 exaggerates what the prompt makes of the text,
// s < 1 waters it down. Each text is read twice a step, after both prompts. It is a model made of
// one model, so everything that asks a model for logits works with it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "chapters/10_generate/batch.hpp"

namespace tbt {

// The formula for one row: logits (V) after the prompt and after the negative one.
// What either bans is banned.
void guide_logits(std::span<const float> positive, std::span<const float> negative, double scale,
                  std::span<float> guided);

// Both prompts of a text.
struct GuidancePrompts {
    std::size_t prompt_length = 0;
    std::vector<int> negative;  // ids, at least one
};

// prompts_of(slot): of the text in that slot, which must be below `slots`.
BatchLogits with_guidance(BatchLogits model, double scale, std::size_t slots,
                          std::function<const GuidancePrompts&(std::size_t slot)> prompts_of);

}  // namespace tbt
