// The plain Llama from a configuration and what gives its weights.
#pragma once

#include "chapters/25_todays_models/plain_llama.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// Throws Error for an architecture that the plain code doesn't have: one without RMS norm before
// each sub-layer, rotary positions in all layers alike and a SiLU gate, or with biases.
PlainLlama plain_llama(const TransformerConfig& config, const WeightSource& source);

}  // namespace tbt
