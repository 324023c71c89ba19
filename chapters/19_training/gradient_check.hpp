// Backward passes against small changes: is what the chain rule says what happens?
#pragma once

#include <string>
#include <vector>

namespace tbt {

// Of one weight: how the loss changes with it, by the backward pass and by (L(w+ε) − L(w−ε)) / 2ε.
struct GradientCheck {
    std::string weight;  // by its name on the hub
    double backward = 0, difference = 0;
};

// For each tensor of a tiny GPT with random weights, the number with the greatest gradient.
std::vector<GradientCheck> check_gradients();

void show_gradients();

}  // namespace tbt
