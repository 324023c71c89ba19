// The router of a mixture of experts: which of a layer's MLPs a token takes, and with what weights.
#pragma once

#include <span>
#include <vector>

namespace tbt {

struct ChosenExpert {
    int expert = 0;
    float weight = 0;
};

// What a pass chose, for programs that show it: for each layer (R, k), the tokens in their order.
struct ExpertWatch {
    std::vector<std::vector<ChosenExpert>> layers = {};  // of the latest pass
};

// The experts with the largest scores, as many as `chosen` has room for, in order of their numbers.
// Of equal scores the lower number is chosen. Their weights are the softmax of all scores, divided
// by the sum of the chosen weights if `sum_to_one`.
void choose_experts(std::span<const float> scores, bool sum_to_one, std::span<ChosenExpert> chosen);

}  // namespace tbt
