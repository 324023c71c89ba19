// Exercise 24_2: predict the figures.
//
// The language p has eight texts, equally probable; q is what a decoder writes. There is no
// function to invent: write the number, as in `return 7;`. Use pencil and paper. −1 means infinite.
//
// Give six answers. Check: make check EX=24_2
#pragma once

#include "exercises/exercise.hpp"

namespace tbt::ex24_2 {

// A decoder always writes the same one of these texts. What is KL(q‖p), in bits?
inline int greedy_to_truth() {
    // >>> write here
    return 3;
    // <<< to here
}

// What is KL(p‖q) then?
inline int truth_to_greedy() {
    // >>> write here
    return -1;
    // <<< to here
}

// A decoder writes four of these texts, equally often. What is KL(q‖p), in bits?
inline int half_to_truth() {
    // >>> write here
    return 1;
    // <<< to here
}

// How many per cent of the true texts has it lost?
inline int lost_by_half() {
    // >>> write here
    return 50;
    // <<< to here
}

// At each token a decoder drops the right continuation of one true text in a hundred. How many per
// cent of the true texts of 20 tokens can it still write? Round to the nearest whole number.
inline int kept_of_twenty() {
    // >>> write here
    return 82;
    // <<< to here
}

// "a rose is a rose is a rose": what is distinct-2 of this one text, in per cent, rounded to the
// nearest whole number?
inline int distinct_of_roses() {
    // >>> write here
    return 43;
    // <<< to here
}

}  // namespace tbt::ex24_2
