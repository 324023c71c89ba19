// What GPTQ needs to know about the inputs of a matrix: their correlations H, and the factor U that
// says how weights compensate for each other's errors.
//
//   H = Σ_x xᵀx (K, K),   UᵀU = H⁻¹ with U zero below its diagonal
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "lib/core/check.hpp"

namespace tbt {

using Square = std::vector<std::vector<double>>;  // (K, K)

// H of the inputs, which are rows of K numbers. 1 % of the diagonal's mean is added to the
// diagonal, so that H has an inverse even if some inputs are always 0.
inline Square input_products(const std::vector<std::vector<float>>& inputs) {
    check_at_least("gptq: inputs", static_cast<long long>(inputs.size()), 1);
    const std::size_t K = inputs[0].size();
    Square H(K, std::vector<double>(K, 0.0));
    for (const std::vector<float>& x : inputs) {
        check_size("gptq: an input", x.size(), K);
        for (std::size_t i = 0; i < K; ++i)
            for (std::size_t j = 0; j < K; ++j)
                H[i][j] += static_cast<double>(x[i]) * static_cast<double>(x[j]);
    }
    double mean = 0;
    for (std::size_t k = 0; k < K; ++k) mean += H[k][k] / static_cast<double>(K);
    for (std::size_t k = 0; k < K; ++k) H[k][k] += mean > 0 ? 0.01 * mean : 1;
    return H;
}

// U with UᵀU = H⁻¹. First H = R · Rᵀ with R zero below its diagonal, computed from the last row up
// (a Cholesky factor from the other end); then U = R⁻¹.
inline Square upper_factor(const Square& H) {
    const std::size_t K = H.size();
    for (const auto& row : H) check_size("gptq: a row of H", row.size(), K);
    Square R(K, std::vector<double>(K, 0.0)), U = R;
    for (std::size_t j = K; j-- > 0;)
        for (std::size_t i = j + 1; i-- > 0;) {
            double rest = H[i][j];
            for (std::size_t k = j + 1; k < K; ++k) rest -= R[i][k] * R[j][k];
            if (i == j && !(rest > 0)) throw Error("gptq: H has no inverse");
            R[i][j] = i == j ? std::sqrt(rest) : rest / R[j][j];
        }
    for (std::size_t j = 0; j < K; ++j)
        for (std::size_t i = j + 1; i-- > 0;) {
            double sum = i == j ? 1.0 : 0.0;
            for (std::size_t k = i + 1; k <= j; ++k) sum -= R[i][k] * U[k][j];
            U[i][j] = sum / R[i][i];
        }
    return U;
}

}  // namespace tbt
