// What GPTQ needs to know about the inputs of a matrix: their correlations H = Σ_x xᵀx (K, K).
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "lib/core/check.hpp"

namespace tbt {

using Square = std::vector<std::vector<double>>;  // (K, K)

// Adds further inputs, rows of K numbers, to H, which is empty at first.
inline void add_products(const std::vector<std::vector<float>>& inputs, Square& H) {
    check_at_least("gptq: inputs", static_cast<long long>(inputs.size()), 1);
    const std::size_t K = inputs[0].size();
    if (H.empty()) H.assign(K, std::vector<double>(K, 0.0));
    check_size("gptq: an input", K, H.size());
    for (const std::vector<float>& x : inputs) {
        check_size("gptq: an input", x.size(), K);
        for (std::size_t i = 0; i < K; ++i)
            for (std::size_t j = 0; j < K; ++j)
                H[i][j] += static_cast<double>(x[i]) * static_cast<double>(x[j]);
    }
}

// Adds 1 % of the diagonal's mean to the diagonal, so that H has an inverse even if some inputs are
// always 0.
inline Square damped(Square H) {
    const std::size_t K = H.size();
    double mean = 0;
    for (std::size_t k = 0; k < K; ++k) mean += H[k][k] / static_cast<double>(K);
    for (std::size_t k = 0; k < K; ++k) H[k][k] += mean > 0 ? 0.01 * mean : 1;
    return H;
}

inline Square input_products(const std::vector<std::vector<float>>& inputs) {
    Square H;
    add_products(inputs, H);
    return damped(std::move(H));
}

}  // namespace tbt
