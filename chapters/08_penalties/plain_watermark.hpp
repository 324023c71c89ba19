// A watermark that leaves the distribution unchanged: tournament sampling [Dathathri et al. 2024,
// SynthID-Text].
//
// At each position the key and the last few tokens decide which half of the vocabulary a layer
// favours. Over all keys, texts have the same distribution as without the mark. The key's owner
// detects the mark by counting how often favoured tokens were chosen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lib/core/check.hpp"

namespace tbt {

struct Watermark {
    // Bit l: does layer l favour this token after this context? Half of all bits are 1.
    std::function<std::uint64_t(std::span<const int> context, int token)> favours;
    int layers = 30;          // at most 64
    std::size_t context = 4;  // number of last tokens that decide, with the key
};

// Is it the first draw after these last tokens? Bits are used only once: the same context has the
// same bits, so a second draw after it would depend on the first and change the distribution.
inline bool is_fresh(std::span<const int> text, std::size_t prompt_length, const Watermark& w) {
    if (text.size() < w.context) return false;
    const std::span<const int> last = text.last(w.context);
    for (std::size_t i = std::max(w.context, prompt_length); i < text.size(); ++i)
        if (std::equal(last.begin(), last.end(), text.begin() + static_cast<long>(i - w.context)))
            return false;
    return true;
}

// A tournament: two tokens are drawn from p and the favoured one wins; if both or neither are
// favoured, one wins at random. Winners then meet in the next layer, and so on:
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
