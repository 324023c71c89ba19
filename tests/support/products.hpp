// Matrix products for the tests of matmul: random operands, fast and plain results, their bits.
#pragma once

#include <cstring>
#include <vector>

#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"
#include "lib/kernels/matmul.hpp"

namespace tbt::test {

using Floats = std::vector<float>;

// In (−1, 1), all different: a row taken for a column or a neighbour would show.
inline Floats random_floats(std::int64_t n, std::uint64_t seed) {
    Rng rng(seed);
    Floats values(static_cast<std::size_t>(n));
    for (float& v : values) v = 2.0f * rng.uniform_float() - 1.0f;
    return values;
}

inline bool same_bits(const Floats& a, const Floats& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

// What a weight becomes when it is stored as `type`.
inline float stored(float value, WeightType type) {
    if (type == WeightType::f16) return from_f16(to_f16(value));
    if (type == WeightType::bf16) return from_bf16(to_bf16(value));
    return value;
}

inline Floats multiplied(const MatrixView& x, const PackedMatrix& w, Floats y,
                         std::int64_t y_stride, const MatmulOptions& options = {},
                         int threads = 1) {
    run_team(threads,
             [&](const Worker& worker) { matmul(x, w, y.data(), y_stride, options, worker); });
    return y;
}

inline Floats plainly(const MatrixView& x, const MatrixView& w, Floats y, std::int64_t y_stride,
                      const MatmulOptions& options = {}) {
    matmul_plain(x, w, y.data(), y_stride, options);
    return y;
}

}  // namespace tbt::test
