// Rows of logits that chapters 03 to 06 try, and the ids that a cut leaves of them.
#pragma once

#include <cmath>
#include <vector>

#include "chapters/03_temperature/further/checks.hpp"
#include "lib/core/index.hpp"
#include "tests/catch.hpp"

namespace tbt::test {

using Row = std::vector<float>;

inline const Row eight{5, 3, 2, 1, 0.5f, -1, -2, -5};

inline Row logs(const std::vector<double>& p) {
    Row s;
    for (const double x : p) s.push_back(static_cast<float>(std::log(x)));
    return s;
}

// s_i = −a·ln i
inline Row zipf(double a, int V) {
    Row s;
    for (int i = 1; i <= V; ++i) s.push_back(static_cast<float>(-a * std::log(i)));
    return s;
}

// The digits that the errata and the exercises print: six places, so half a unit of the last.
inline void require_close(const std::vector<double>& got, const std::vector<double>& expected,
                          double tolerance = 5.1e-7) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        INFO("at " << i << ": " << got[i] << ", expected " << expected[i]);
        REQUIRE(std::abs(got[i] - expected[i]) <= tolerance);
    }
}

// The ids that a row has kept.
inline std::vector<int> ids_of(const Row& row) {
    std::vector<int> ids;
    for (std::size_t i = 0; i < row.size(); ++i)
        if (row[i] != masked) ids.push_back(to_int(i));
    return ids;
}

}  // namespace tbt::test
