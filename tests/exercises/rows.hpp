// exercise_check.hpp, and for it rows of logits: small ones first, and of every kind on which wrong
// answers show.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/exercises/exercise_check.hpp"

namespace tbt {

// Row number `round`: by turns any numbers, small whole ones (ties), some masked, all equal, one
// far above the others, far from 0. At least one logit is finite.
inline std::vector<float> some_row(Rng& rng, int round) {
    const std::size_t V = 1 + static_cast<std::size_t>(std::min(round / 12, 30));
    std::vector<float> s(V);
    for (float& x : s) x = static_cast<float>(3 * rng.normal());
    const std::size_t one = rng.below(V);
    switch (round % 6) {
        case 1:
            for (float& x : s) x = static_cast<float>(rng.below(5)) - 2;
            break;
        case 2:
            for (std::size_t i = 0; i < V; ++i)
                if (i != one && rng.below(3) == 0) s[i] = -INFINITY;
            break;
        case 3:
            std::fill(s.begin(), s.end(), s[0]);
            break;
        case 4:
            s[one] += 40;
            break;
        case 5:
            for (float& x : s) x += round % 12 < 6 ? 5000.0f : -5000.0f;
            break;
        default:
            break;
    }
    return s;
}

// −ln i: Zipf's law over n tokens.
inline std::vector<float> zipf_row(int n) {
    std::vector<float> s;
    for (int i = 1; i <= n; ++i) s.push_back(static_cast<float>(-std::log(i)));
    return s;
}

inline std::vector<double> logs_of(std::vector<double> p) {
    for (double& x : p) x = std::log(x);
    return p;
}

// A number as a message has it, and a row: up to ten numbers.
inline std::string in_words(double x) { return exercise_check::shown(x); }
template <class Numbers>
std::string in_words(const Numbers& row) {
    return "{" + exercise_check::shown(row) + "}";
}

// Are the numbers that came those expected? `came` may be a function that gives them: then what was
// given is known even if it throws.
template <class Came, class Expected>
void same(const Came& came, const Expected& expected, const std::string& given,
          const std::string& think = "", double tolerance = 0) {
    INFO(given);
    THINK((think.empty() ? "the statement, sentence by sentence" : think));
    const std::string wanted = exercise_check::shown(expected);
    const exercise_check::Asked asked("", wanted.c_str());
    const auto got = [&] {
        if constexpr (std::is_invocable_v<Came>) return came();
        else return came;
    }();
    exercise_check::judge(exercise_check::compare_near(got, expected, tolerance));
}

}  // namespace tbt
