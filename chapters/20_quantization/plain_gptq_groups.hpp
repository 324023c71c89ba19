// GPTQ for --weights int4: scales are integer multiples of one unit per column, as in
// plain_four_bits.hpp, so sums are exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "chapters/20_quantization/plain_four_bits.hpp"
#include "chapters/20_quantization/plain_gptq.hpp"

namespace tbt {

// Quantises the column w (K). Its unit is the same as for rounding to the nearest. A group's
// multiplier is chosen when its turn comes, from the weights at that moment.
inline FourBitColumn gptq_in_groups(const std::vector<float>& w, const Square& U) {
    FourBitColumn column = quantize_in_groups(w);
    if (column.unit == 0) return column;  // only zeros
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
