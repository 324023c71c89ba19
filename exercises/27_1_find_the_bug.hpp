// Exercise 27_1: find the bug. This cache finds pages by their content. It is fast and saves half
// of the memory, but now and then a user gets an answer to somebody else's question.
//
// A text is read page by page, from the beginning; a page here has 4 tokens. The cache looks up
// each page by its key: a page whose key is known is not read, but taken from the cache. The
// attention keys and values of a token depend on all tokens before it.
//
// 1. Write `witness`: two texts of 8 tokens. With `key_by_content`, the second text must take a
//    page from the first that is wrong for it.
// 2. Write `key`: it is the same for two pages exactly if each of them can be used for the other.
//
// Write about 1 line each. Check: make check EX=27_1
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex27_1 {

using Text = std::vector<int>;

constexpr std::size_t page_tokens = 4;

// The key of page 0, 1, … of a text. The text fills this page.
inline Text key_by_content(const Text& text, std::size_t page) {
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(page * page_tokens);
    return {first, first + page_tokens};
}

inline std::pair<Text, Text> witness() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline Text key([[maybe_unused]] const Text& text, [[maybe_unused]] std::size_t page) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex27_1
