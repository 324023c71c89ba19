// Backward passes against small changes: is what the chain rule says what happens?
#pragma once

#include <string>
#include <vector>

#include "lib/model/model_config.hpp"

namespace tbt {

// Of one weight: how the loss changes with it, by the backward pass and by (L(w+ε) − L(w−ε)) / 2ε.
struct GradientCheck {
    std::string weight;  // by its name on the hub
    double backward = 0, difference = 0;
};

// Models of one layer, to be checked: of 16 channels, and of 32 with two heads that share keys.
TransformerConfig tiny_gpt2();
TransformerConfig tiny_llama();

// For each tensor of such a model with random weights, the number with the greatest gradient.
std::vector<GradientCheck> check_gradients(const TransformerConfig& shape);

// Both, as tables.
void show_gradients();

}  // namespace tbt
