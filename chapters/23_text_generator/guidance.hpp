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

}  // namespace tbt
