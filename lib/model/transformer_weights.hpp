// Loads the weights of a network: finds them by their names on the hub and packs them for the
// forward pass.
#pragma once

namespace tbt {

class WeightReader;
struct TransformerNetwork;

// Sets all weights of a network whose config, options and outputs are set. Throws Error if a weight
// is missing or has another shape.
void load_weights(TransformerNetwork& network, const WeightReader& weights);

}  // namespace tbt
