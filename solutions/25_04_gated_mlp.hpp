// Exercise 25_04: a gated MLP (SwiGLU).
//
// A matrix is a list of rows, one for each output: (W x)_n = Σ_k W[n][k] · x_k.
//
//     silu(x)                       x / (1 + e^−x)
//     mlp(x, gate, up, down)        down (silu(gate x) · up x), where · multiplies number by number
//
// Example: silu(0) = 0, silu(2) = 1.7616, silu(−2) = −.2384. With x = (1, 2), gate = ((2, 0)), up =
// ((0, 3)) and down = ((1), (−1)): gate x = 2, up x = 6, silu(2) · 6 = 10.570, and the result is
// (10.570, −10.570). silu(−1000) is 0, not NaN.
//
// product is given. Write two functions, of about 1 line and 4 lines. Check: make check EX=25_04
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex25_04 {

using Row = std::vector<double>;
using Matrix = std::vector<Row>;  // (outputs, inputs)

inline Row product(const Matrix& w, const Row& x) {
    Row y;
    for (const Row& row : w) {
        double sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k) sum += row[k] * x[k];
        y.push_back(sum);
    }
    return y;
}

inline double silu([[maybe_unused]] double x) {
    // >>> write here
    return x / (1 + std::exp(-x));
    // <<< to here
}

inline Row mlp([[maybe_unused]] const Row& x, [[maybe_unused]] const Matrix& gate,
               [[maybe_unused]] const Matrix& up, [[maybe_unused]] const Matrix& down) {
    // >>> write here
    const Row g = product(gate, x);
    Row features = product(up, x);
    for (std::size_t f = 0; f < features.size(); ++f) features[f] *= silu(g[f]);
    return product(down, features);
    // <<< to here
}

}  // namespace tbt::ex25_04
