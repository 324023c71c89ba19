// Models that fill masks, for the tests of exercises: perfect ones of a few texts,
// and the distribution of what a sampler writes with them, by enumeration.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "tests/exercises/exercise_check.hpp"

namespace tbt {

// A row of tokens, −1 where one is masked, and the probability of each text.
using Canvas = std::vector<int>;
using Joint = std::map<Canvas, double>;

// What is masked is answered from the texts that what is there allows.
inline auto perfect(const Joint& joint, std::size_t vocabulary) {
    return [=](const Canvas& row, std::size_t place) {
        std::vector<double> p(vocabulary);
        for (const auto& [text, probability] : joint) {
            bool fits = true;
            for (std::size_t i = 0; i < row.size(); ++i)
                fits = fits && (row[i] < 0 || row[i] == text[i]);
            if (fits) p[static_cast<std::size_t>(text[place])] += probability;
        }
        return divided_by_sum(p);
    };
}

// New York, Los Angeles, San Diego.
inline const Joint cities = {{{0, 3}, .5}, {{1, 4}, .3}, {{2, 5}, .2}};

inline Joint random_joint(std::uint64_t seed) {
    Rng rng(seed);
    const std::vector<double> p = random_distribution(rng, 27);
    Joint joint;
    for (int text = 0; text < 27; ++text)
        joint[{text / 9, text / 3 % 3, text % 3}] = p[static_cast<std::size_t>(text)];
    return joint;
}

// Every sequence of draws that can happen, with its probability.
template <class Fill, class Distribution>
Joint distribution_of(const Fill& sampler, const Distribution& distribution, const Canvas& start) {
    Joint result;
    const auto next_possible = [](const std::vector<double>& p, std::size_t i) {
        while (i < p.size() && !(p[i] > 0)) ++i;
        return i;
    };
    std::vector<std::pair<std::vector<double>, std::size_t>> path;
    do {
        std::size_t depth = 0;
        Canvas row = start;
        sampler(row, distribution, [&](const std::vector<double>& p) {
            EXPECT(depth < 100, "as many draws as masks", "100 draws and no end");
            if (depth == path.size()) path.emplace_back(p, next_possible(p, 0));
            return static_cast<int>(path[depth++].second);
        });
        double probability = 1;
        for (const auto& [p, i] : path) probability *= p.at(i);
        result[row] += probability;
        while (!path.empty()) {
            auto& [p, i] = path.back();
            i = next_possible(p, i + 1);
            if (i < p.size()) break;
            path.pop_back();
        }
    } while (!path.empty());
    return result;
}

inline void check_distribution(const Joint& got, const Joint& expected) {
    for (const auto& [text, p] : got) {
        const auto found = expected.find(text);
        const double wanted = found == expected.end() ? 0 : found->second;
        INFO(
            "the probability of this text; think about: was anything chosen by what had been drawn "
            "in this step?");
        INPUT(text);
        CHECK_NEAR(p, wanted, 1e-12);
    }
}

}  // namespace tbt
