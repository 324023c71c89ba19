// The initial weights of training [Radford et al. 2019]: normally distributed with mean 0 and
// standard deviation 0.02 for matrices and token embeddings, 0.01 for positions. For the two
// projections into the residual stream it is 0.02 / √(2 · layers). Biases are 0, and the gains of
// the norms are 1.
#pragma once

#include <cmath>
#include <string_view>

#include "lib/model/model_config.hpp"

namespace tbt {

// Normally distributed numbers with this standard deviation; if it is 0, the constant.
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
