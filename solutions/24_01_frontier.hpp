// Exercise 24_01: which settings does no other beat?
//
// Each point is a setting: `wrong` is the share of its texts that are wrong, and `lost` is the
// share of true texts that it can no longer write. For both, smaller is better. A setting is beaten
// if another one is at least as good in both and better in one. The settings that no other one
// beats are the Pareto frontier; a setting that is not on it need never be used.
//
// Example: of (.1, .5), (.3, .2) and (.4, .3), the second beats the third, and nothing beats the
// first two. Two equal points do not beat each other.
//
// Write one function, about 8 lines. Check: make check EX=24_01
#pragma once

#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex24_01 {

struct Point {
    double wrong = 0, lost = 0;
};

// For each point: is it on the frontier?
inline std::vector<bool> frontier([[maybe_unused]] const std::vector<Point>& points) {
    // >>> write here
    std::vector<bool> on(points.size(), true);
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (const Point& other : points) {
            const bool as_good = other.wrong <= points[i].wrong && other.lost <= points[i].lost;
            const bool better = other.wrong < points[i].wrong || other.lost < points[i].lost;
            if (as_good && better) on[i] = false;
        }
    }
    return on;
    // <<< to here
}

}  // namespace tbt::ex24_01
