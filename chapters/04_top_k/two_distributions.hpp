// Two distributions over 1,000 tokens, in descending order: one is nearly sure,
// one sees many ways to go on.
#pragma once

#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt {

// s_i = −a·ln(i + b): Zipf's law with exponent a, its head flattened by b.
inline std::vector<float> zipf_logits(double exponent, double flattened, int n = 1000) {
    if (n < 1 || n > 1 << 20)
        throw Error("zipf: a distribution over " + std::to_string(n) +
                    " tokens, expected 1 to 2^20");
    std::vector<float> s;
    for (int i = 1; i <= n; ++i)
        s.push_back(static_cast<float>(-exponent * portable_log(i + flattened)));
    return s;
}

// One token has 95 %, the other 999 share the rest by Zipf's law.
inline std::vector<float> confident_logits() {
    std::vector<float> s = zipf_logits(1, 0);
    double others = 0;
    for (std::size_t i = 1; i < s.size(); ++i) others += portable_exp(static_cast<double>(s[i]));
    s[0] = static_cast<float>(portable_log(0.95 / 0.05 * others));
    return s;
}

// The first token has 2 %, and the next ones hardly less.
inline std::vector<float> flat_logits() { return zipf_logits(2, 50); }

}  // namespace tbt
