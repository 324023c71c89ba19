// A watermark that does not distort: tournament sampling [Dathathri et al. 2024, SynthID-Text].
//
// A key decides which half of the vocabulary a layer favours, after each few tokens. Over keys
// a text has the distribution that it has without; who has the key counts how often it was
// followed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lib/check.hpp"

namespace tbt {

struct Watermark {
    // Bit l: does layer l favour this token after these? Half of all bits are 1.
    std::function<std::uint64_t(std::span<const int> context, int token)> favours;
    int layers = 30;          // at most 64
    std::size_t context = 4;  // tokens that decide, with the key
};

// Bits are used once: where these last tokens stood before, and something was drawn after them,
// the same bits would come again, and two draws that agree by the key have a different
// distribution.
inline bool is_fresh(std::span<const int> text, std::size_t prompt_length, const Watermark& w) {
    if (text.size() < w.context) return false;
    const std::span<const int> last = text.last(w.context);
    for (std::size_t i = std::max(w.context, prompt_length); i < text.size(); ++i)
        if (std::equal(last.begin(), last.end(), text.begin() + static_cast<long>(i - w.context)))
            return false;
    return true;
}

// Two are drawn from p and the favoured one wins, by lot where both or neither are. The winner of
// two such rounds meets another winner, and so on, layer by layer:
//
//   p(x) ← Σ_y p(x)·p(y)·(1 + g(x) − g(y)) = p(x)·(1 + g(x) − Σ_y p(y)·g(y))
//
// Over fair bits g the bracket is 1 on average.
inline void plain_watermark(std::vector<double>& p, std::span<const int> text,
                            std::size_t prompt_length, const Watermark& w) {
    if (!is_fresh(text, prompt_length, w)) return;
    std::vector<std::uint64_t> bits;
    for (std::size_t x = 0; x < p.size(); ++x)
        bits.push_back(w.favours(text.last(w.context), static_cast<int>(x)));
    for (int layer = 0; layer < w.layers; ++layer) {
        double share = 0;  // Σ p·g
        for (std::size_t x = 0; x < p.size(); ++x) share += (bits[x] >> layer & 1) ? p[x] : 0;
        for (std::size_t x = 0; x < p.size(); ++x)
            p[x] *= 1 + static_cast<double>(bits[x] >> layer & 1) - share;
    }
}

}  // namespace tbt
