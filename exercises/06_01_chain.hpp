// Exercise 06_01: a chain: named steps, in an order.
//
// A step takes a row of logits and returns one: a temperature, a cut, a ban. Cuts see what is left
// by the steps before them, so the order is part of the request.
//
// 1. in_order: puts steps in the given order of names. Steps of the same name keep their
//    order. A name that is not in the order is a UsageError that names it.
// 2. run: applies the steps, first to last, and notes after each how many tokens are left (their
//    logit is not −∞). A step that leaves none is an Error that names it.
//
// Example: the logits {3, 1, 2}, "ban 0" and then "top-k 1": left 2 and 1, token 2 stays.
// In the other order no token is left.
//
// Write two functions, about 6 and 10 lines. Check: make check EX=06_01
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex06_01 {

using Row = std::vector<float>;
constexpr float gone = -std::numeric_limits<float>::infinity();

struct Step {
    std::string name;
    std::function<Row(const Row&)> apply;
};

inline std::vector<Step> in_order([[maybe_unused]] const std::vector<std::string>& order,
                                  [[maybe_unused]] std::vector<Step> steps) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

struct Outcome {
    Row row;                // after the last step
    std::vector<int> left;  // tokens after each step
};

inline Outcome run([[maybe_unused]] const std::vector<Step>& steps, [[maybe_unused]] Row row) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex06_01
