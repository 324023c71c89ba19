// Exercise 27_2: predict the pages.
//
// A page has 64 tokens. The system prompt has 400 tokens; each of 20 questions adds 12, and each
// answer 24 more. The last token of an answer is never read, so a text has 400 + 12 + 23 = 435
// tokens in the end. No two questions begin alike. There is no function to invent: write the
// number, as in `return 7;`. Use pencil and paper.
//
// Give six answers. Check: make check EX=27_2
#pragma once

#include "exercises/exercise.hpp"

namespace tbt::ex27_2 {

// How many pages do all 20 texts take, if none is shared?
inline int pages_alone() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// How many pages do all 20 texts take in a prefix tree, one text after the other?
inline int pages_together() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// How many tokens does question 2 read before its answer begins, if the page in which it begins to
// differ from question 1 is copied?
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

// The system prompt has 384 tokens instead. How many pages do all 20 texts take in the tree?
inline int pages_of_a_round_prompt() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The system prompt has 400 tokens again. After all 20 questions, question 1 comes once more, with
// the same words. How many tokens does it read before its answer begins?
inline int read_once_more() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex27_2
