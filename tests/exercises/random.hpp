// Random cases for the tests of exercises.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/core/rng.hpp"

namespace tbt {

// n ids from 0 to V − 1.
inline std::vector<int> random_ids(Rng& rng, std::size_t n, std::size_t V) {
    std::vector<int> ids(n);
    for (int& id : ids) id = static_cast<int>(rng.below(V));
    return ids;
}

// n normal numbers, `scale` times as wide; and rows of them.
template <class Number = double>
std::vector<Number> normal_row(Rng& rng, std::size_t n, double scale = 1) {
    std::vector<Number> row(n);
    for (Number& x : row) x = static_cast<Number>(scale * rng.normal());
    return row;
}
template <class Number = double>
std::vector<std::vector<Number>> normal_rows(Rng& rng, std::size_t rows, std::size_t n,
                                             double scale = 1) {
    std::vector<std::vector<Number>> all;
    while (all.size() < rows) all.push_back(normal_row<Number>(rng, n, scale));
    return all;
}

// What is there, divided by its sum.
inline std::vector<double> divided_by_sum(std::vector<double> p) {
    double sum = 0;
    for (const double x : p) sum += x;
    for (double& x : p) x /= sum;
    return p;
}

// V probabilities, none very small; where one of zero_in cannot come, that many are 0, never all.
inline std::vector<double> random_distribution(Rng& rng, std::size_t V, std::uint64_t zero_in = 0) {
    std::vector<double> p(V);
    for (double& x : p) x = zero_in > 0 && rng.below(zero_in) == 0 ? 0 : 0.02 + rng.uniform();
    if (std::count(p.begin(), p.end(), 0) == std::ptrdiff_t(V)) p[rng.below(V)] = 1;
    return divided_by_sum(p);
}

// The same for each text, of tokens from 0 on: another text, another seed.
inline std::uint64_t seed_of(const std::vector<int>& text, std::uint64_t seed) {
    for (const int id : text) seed = seed * 31 + static_cast<std::uint64_t>(id + 1);
    return seed;
}

}  // namespace tbt
