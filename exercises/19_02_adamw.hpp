// Exercise 19_02: a step of AdamW [Loshchilov & Hutter 2019].
//
// Each weight w has a gradient g and two running means: m of the gradient, and v of its square.
// Both are 0 before the first step. Step number t (the first is 1), with the learning rate η:
//
//     m ← β₁·m + (1 − β₁)·g            m̂ = m / (1 − β₁^t)
//     v ← β₂·v + (1 − β₂)·g²           v̂ = v / (1 − β₂^t)
//     w ← w − η·( m̂/(√v̂ + ε) + λ·w )
//
// The hats correct for the means having begun at 0. λ·w, the weight decay, is added to the step,
// not to the gradient; its w is the weight before the step. Example: w = 1, g = .5, η = .1, λ = 0
// and t = 1 give m̂ = .5 and √v̂ = .5, so w becomes .9. The first step has the length η, whatever
// the gradient.
//
// A t below 1 is an Error.
//
// Write one function, about 9 lines. Check: make check EX=19_02
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex19_02 {

struct Adam {
    double beta_1 = .9, beta_2 = .999, epsilon = 1e-8, decay = 0;  // β₁, β₂, ε, λ
    std::vector<double> m, v;                                      // one for each weight
};

// w and g hold one number for each weight. Changes w, a.m and a.v.
inline void step([[maybe_unused]] Adam& a, [[maybe_unused]] std::vector<double>& w,
                 [[maybe_unused]] const std::vector<double>& g, [[maybe_unused]] double rate,
                 [[maybe_unused]] int t) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex19_02
