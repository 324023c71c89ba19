// Rows of floats as scans and selections meet them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lib/core/rng.hpp"

namespace tbt {

// Rows of many kinds and awkward lengths: spread out, narrow, full of ties,
// with masked elements, one value only.
inline std::vector<std::vector<float>> rows() {
    std::vector<std::vector<float>> all;
    Rng rng(11);
    for (const std::size_t n : {1u, 2u, 15u, 16u, 17u, 31u, 97u, 1000u, 2049u, 5000u}) {
        for (int kind = 0; kind < 6; ++kind) {
            std::vector<float> row(n);
            for (float& x : row) {
                x = static_cast<float>(rng.normal());
                if (kind == 1) x *= 8.0f;
                if (kind == 2) x = std::round(x * 4.0f) / 4.0f;
                if (kind == 3 && rng.below(3) == 0) x = -std::numeric_limits<float>::infinity();
                if (kind == 4) x = 1.5f;
                if (kind == 5) x = 1000.0f + x * 0.001f;
            }
            if (kind == 3) row[n / 2] = 0.5f;
            all.push_back(std::move(row));
        }
    }
    return all;
}

inline float largest(const std::vector<float>& row) {
    return *std::max_element(row.begin(), row.end());
}

}  // namespace tbt
