// The factor U of GPTQ, which says how weights compensate for each other's errors:
//
//   UᵀU = H⁻¹ with U zero below its diagonal
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "chapters/20_quantization/plain_products.hpp"
#include "lib/core/check.hpp"

namespace tbt {

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
