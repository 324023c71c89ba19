// From the weights' names on the hub to the places where a forward pass looks for them.
#pragma once

namespace tbt {

class WeightReader;
struct TransformerNetwork;

// Fills in the weights of a network whose config, options and outputs are set.
// Throws Error for a weight that is missing or of another shape.
void load_weights(TransformerNetwork& network, const WeightReader& weights);

}  // namespace tbt
