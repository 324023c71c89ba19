// GPTQ for the four bits that run: steps are whole multiples of one unit a column, as
// plain_four_bits.hpp has them, and their sums exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "chapters/20_quantization/plain_four_bits.hpp"
#include "chapters/20_quantization/plain_gptq.hpp"

namespace tbt {

// The column w (K): its unit is that of rounding to the nearest, a group's multiplier is taken when
// its turn comes, from the weights as they are then.
inline FourBitColumn gptq_in_groups(const std::vector<float>& w, const Square& U) {
    FourBitColumn column = quantize_in_groups(w);
    if (column.unit == 0) return column;  // nothing but zeros
    std::size_t g = 0;
    const auto unit = static_cast<double>(column.unit);
    const auto ruler = [&](double largest) {
        const double m = std::clamp(std::nearbyint(largest / (7 * unit)), 1.0, 127.0);
        column.m[g++] = static_cast<int>(m);
        return unit * m;
    };
    const std::vector<double> restored = gptq_rounded_by(w, U, 7, FourBitColumn::group, ruler);
    for (std::size_t k = 0; k < w.size(); ++k)
        column.q[k] = static_cast<std::int8_t>(
            std::nearbyint(restored[k] / (unit * column.m[k / FourBitColumn::group])));
    return column;
}

}  // namespace tbt
