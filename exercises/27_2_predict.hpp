// Exercise 27_2: predict the pages.
//
// Pages have 64 tokens. A system prompt has 400; each of 20 questions adds 12, each answer 24 more,
// of which the last is never read, so a text is 400 + 12 + 23 = 435 tokens in the end. No two
// questions begin alike. No function to invent: write the number, as in `return 7;`. With pencil
// and paper.
//
// Six answers. Check: make check EX=27_2
#pragma once

#include "exercises/exercise.hpp"

namespace tbt::ex27_2 {

// Pages of all 20 texts, if none is shared.
inline int pages_alone() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// Pages of all 20 texts in a prefix tree, one after the other.
inline int pages_together() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// Tokens that question 2 reads before its first token: the page where it parts from question 1 is
// copied.
inline int read_with_copies() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The same, if only whole pages are shared.
inline int read_by_whole_pages() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The system prompt has 384 tokens instead. Pages of all 20 texts in the tree?
inline int pages_of_a_round_prompt() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// 400 tokens again, after all 20 questions. Question 1 comes once more, with the same words: how
// many tokens does it read before its first token?
inline int read_once_more() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex27_2
