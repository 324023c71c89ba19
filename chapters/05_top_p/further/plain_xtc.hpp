// XTC, "exclude top choices" [p-e-w 2024]: the cut from the other side. Now and then, where several
// tokens are good enough, all of them go but the least probable. The definition that the fast
// version in chapter 06 is compared with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chapters/05_top_p/plain_top_p.hpp"
#include "lib/core/error.hpp"

namespace tbt {

// Throws UsageError unless both are probabilities.
inline void check_xtc(double probability, double threshold) {
    const auto check = [](const char* name, double x, const char* usual) {
        if (!(x >= 0 && x <= 1))
            throw UsageError(std::string(name) + ": got " + short_number(x) +
                             ", expected a probability from 0 to 1; " + usual);
    };
    check("xtc-probability", probability, "0 turns it off, 0.5 is usual");
    check("xtc-threshold", threshold, "0.1 is usual, above 0.5 nothing is ever excluded");
}

// With u < probability: of the tokens with p_i >= threshold only the last one by the total order
// stays (so where they are fewer than two, nothing happens), and all less probable ones.
inline std::vector<float> xtc(std::span<const float> s, double T, double probability,
                              double threshold, double u) {
    check_xtc(probability, threshold);
    std::vector<float> kept(s.begin(), s.end());
    if (u >= probability) return kept;
    const std::vector<double> p = softmax_at(s, T);
    std::size_t last = s.size();
    for (const std::size_t id : sorted_descending(s)) {
        if (s[id] == masked || p[id] < threshold) break;
        if (last < s.size()) kept[last] = masked;
        last = id;
    }
    return kept;
}

}  // namespace tbt
