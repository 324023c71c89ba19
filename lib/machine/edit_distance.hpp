// How many letters two words differ by, for "did you mean".
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "lib/core/index.hpp"

namespace tbt {

// The fewest insertions, deletions and replacements of a byte that make b of a [Levenshtein 1966].
// row[j] is the distance of what was read of a from the first j bytes of b.
inline int edit_distance(std::string_view a, std::string_view b) {
    std::vector<int> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = to_int(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        int diagonal = row[0];
        row[0] = to_int(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row[b.size()];
}

}  // namespace tbt
