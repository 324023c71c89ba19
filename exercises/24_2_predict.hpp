// Exercise 24_2: predict the figures.
//
// A language has eight texts, equally probable. No function to invent: write the number, as in
// `return 7;`. With pencil and paper; −1 means infinite.
//
// Six answers. Check: make check EX=24_2
#pragma once

#include "exercises/exercise.hpp"

namespace tbt::ex24_2 {

// A decoder always writes the same one of them. KL(q‖p), in bits?
inline int greedy_to_truth() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// And KL(p‖q)?
inline int truth_to_greedy() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// A decoder writes four of them, equally often. KL(q‖p), in bits?
inline int half_to_truth() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// How many per cent of true texts has it lost?
inline int lost_by_half() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// At each token a decoder drops the right continuation of one true text in a hundred. How many per
// cent of true texts of 20 tokens can it still write? To the nearest whole number.
inline int kept_of_twenty() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// "a rose is a rose is a rose": distinct-2 of this one text, in per cent, to the nearest number?
inline int distinct_of_roses() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex24_2
