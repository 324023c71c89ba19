// Masked diffusion in plain code [Sahoo et al. 2024; Nie et al. 2025]. A text is a row of places,
// which are masked at first and filled in any order. model(row, place) has the probability of each
// token at a place, given the whole row. draw(p), the only randomness, is i with probability p[i].
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "lib/core/check.hpp"

namespace tbt {

inline constexpr int mask_token = -1;
using Canvas = std::vector<int>;
using MaskedDistribution = std::function<std::vector<double>(const Canvas& row, std::size_t place)>;
using Draw = std::function<int(const std::vector<double>& p)>;

// The masked places among the first `end` places.
inline std::vector<std::size_t> masked_places(const Canvas& row, std::size_t end) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < std::min(end, row.size()); ++i)
        if (row[i] == mask_token) places.push_back(i);
    return places;
}

// The loss: the mean of −ln p over the k masked places of `row`, whose true tokens are in `text`.
// If k is drawn from 1 … L and the places are random, L times its mean is at least −ln p(text).
inline double masked_loss(const MaskedDistribution& model, const Canvas& row, const Canvas& text) {
    check_size("masked loss: the text", text.size(), row.size());
    double sum = 0;
    const std::vector<std::size_t> hidden = masked_places(row, row.size());
    check_at_least("masked loss: masked places", static_cast<long long>(hidden.size()), 1);
    for (const std::size_t i : hidden) {
        const std::vector<double> there = model(row, i);
        sum -= std::log(there[checked_id("masked loss", text[i], there.size())]);
    }
    return sum / static_cast<double>(hidden.size());
}

// Fills n random places per step, each drawn as if the others of its step stayed masked. n = 1
// gives the model's own distribution. Only the first `end` places are filled, in at most `passes`.
inline void fill_at_random(Canvas& row, const MaskedDistribution& model, const Draw& draw,
                           std::size_t n, std::size_t end = SIZE_MAX,
                           std::size_t passes = SIZE_MAX) {
    check_at_least("fill: places a step", static_cast<long long>(n), 1);
    for (auto open = masked_places(row, end); !open.empty() && passes-- > 0;
         open = masked_places(row, end)) {
        const Canvas seen = row;
        for (std::size_t m = 0; m < n && !open.empty(); ++m) {
            const std::vector<double> equal(open.size(), 1.0 / static_cast<double>(open.size()));
            const int drawn = draw(equal);
            checked_place("fill: the draw", drawn, open.size());
            const auto i = open.begin() + drawn;
            const std::vector<double> p = model(seen, *i);
            row[*i] = draw(p);
            checked_id("fill: the draw", row[*i], p.size());
            open.erase(i);
        }
    }
}

// Draws at every masked place; keeps the n tokens that are most probable by `sure` (or the model).
inline void fill_by_confidence(Canvas& row, const MaskedDistribution& model, const Draw& draw,
                               std::size_t n, std::size_t end = SIZE_MAX,
                               const MaskedDistribution& sure = {}, std::size_t passes = SIZE_MAX) {
    check_at_least("fill: places a step", static_cast<long long>(n), 1);
    for (auto open = masked_places(row, end); !open.empty() && passes-- > 0;
         open = masked_places(row, end)) {
        std::vector<std::tuple<double, std::size_t, int>> guesses;
        for (const std::size_t i : open) {
            const std::vector<double> p = model(row, i);
            const std::size_t id = checked_id("fill: the draw", draw(p), p.size());
            guesses.emplace_back(-(sure ? sure(row, i) : p)[id], i, static_cast<int>(id));
        }
        std::sort(guesses.begin(), guesses.end());
        guesses.resize(std::min(n, guesses.size()));
        for (const auto& [unsure, i, token] : guesses) row[i] = token;
    }
}

// Fills block by block from the left. fill(row, end), one of the two above, fills up to `end`.
template <class Fill>
void fill_by_blocks(Canvas& row, std::size_t length, const Fill& fill) {
    check_at_least("fill: places a block", static_cast<long long>(length), 1);
    for (std::size_t end = length; end < row.size() + length; end += length) fill(row, end);
}

}  // namespace tbt
