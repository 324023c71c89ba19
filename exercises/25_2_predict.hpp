// Exercise 25_2: predict the bytes of a cache.
//
// Keys and values take 2 bytes for each number (F16). There is no function to invent: write the
// number, as in `return 4096;`, or a product, as in `return 2 * 32 * 128;`. Use pencil and paper.
//
// Give six answers. Check: make check EX=25_2
#pragma once

#include "exercises/exercise.hpp"

namespace tbt::ex25_2 {

// One token of SmolLM2 135M: 30 layers, 9 query heads, 3 key heads, heads of 64 components.
inline long long smollm2() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// One token of GPT-2: 12 layers, 12 heads, 768 channels.
inline long long gpt2() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// One token of Qwen3 0.6B: 28 layers, 1024 channels, 16 query heads, 8 key heads, and head_dim 128,
// which is not 1024 / 16.
inline long long qwen3() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// 1000 tokens of a model with one layer and one key head of 64 components, which all of its 8 query
// heads read.
inline long long one_key_head() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The same 1000 tokens, with a window of 100: the cache keeps only what can still be seen.
inline long long with_a_window() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The same model and 1000 tokens without a window, after its MLP was made twice as wide.
inline long long with_a_wider_mlp() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex25_2
