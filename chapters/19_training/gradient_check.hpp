// Compares the gradients of the backward passes with finite differences.
#pragma once

#include <string>
#include <vector>

#include "lib/model/model_config.hpp"

namespace tbt {

// The derivative of the loss by one weight, from the backward pass and from
// (L(w+ε) − L(w−ε)) / 2ε.
struct GradientCheck {
    std::string weight;  // by its name on the hub
    double backward = 0, difference = 0;
};

// The models to be checked, with one layer: a GPT-2 with 16 channels, and a Llama with 32 channels
// and two heads that share keys.
TransformerConfig tiny_gpt2();
TransformerConfig tiny_llama();

// For each tensor of such a model with random weights, the weight with the largest gradient.
std::vector<GradientCheck> check_gradients(const TransformerConfig& shape);

// Prints the tables of both models.
void show_gradients();

}  // namespace tbt
