// Where training starts [Radford et al. 2019]: matrices and token embedding N(0, 0.02), positions
// N(0, 0.01), the two projections into the residual stream divided by √(2 · layers), biases 0,
// gains of the layer norms 1.
#pragma once

#include <cmath>
#include <string_view>

#include "lib/model/model_config.hpp"

namespace tbt {

// Normal numbers of this standard deviation; where it is 0, the constant.
struct WeightStart {
    float constant = 0;
    double deviation = 0;
};

inline WeightStart weight_start(const TransformerConfig& config, std::string_view name) {
    if (name.ends_with(".bias")) return {};
    if (name.find("ln_") != std::string_view::npos || name.find("norm.") != std::string_view::npos)
        return {config.architecture.norm_adds_one ? 0.0f : 1.0f, 0};
    if (name == "wpe.weight") return {0, 0.01};
    if (name.ends_with("c_proj.weight") || name.ends_with("o_proj.weight") ||
        name.ends_with("down_proj.weight"))
        return {0, 0.02 / std::sqrt(2.0 * config.n_layer)};
    return {0, 0.02};
}

}  // namespace tbt
