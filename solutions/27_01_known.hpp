// Exercise 27_01: how much of a text is known?
//
// nodes[0] is the root of a prefix tree. Every other node has a page: its tokens, at most `page` of
// them. A node's children are given by their numbers; only the root and nodes with a full page have
// children. Start at the root:
//
// 1. Of the children, take the one whose tokens agree longest with the text from here on. If
//    several agree equally long, take any of them.
// 2. The tokens that agree are known. If they are a whole page, go on from this child; otherwise
//    stop.
//
// Example, with pages of 2: the root has the children "ab" and "ac"; "ab" has the child "cd". Of
// "abce" 3 tokens are known, of "ad" 1, of "b" none, of "ac" both.
//
// Write one function, about 10 lines. Check: make check EX=27_01
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex27_01 {

struct Node {
    std::vector<int> tokens;
    std::vector<std::size_t> children;
};

inline std::size_t known([[maybe_unused]] const std::vector<Node>& nodes,
                         [[maybe_unused]] std::size_t page,
                         [[maybe_unused]] const std::vector<int>& text) {
    // >>> write here
    std::size_t sum = 0, at = 0;
    for (;;) {
        std::size_t most = 0, best = 0;
        for (const std::size_t child : nodes[at].children) {
            const std::vector<int>& tokens = nodes[child].tokens;
            std::size_t n = 0;
            while (n < tokens.size() && sum + n < text.size() && tokens[n] == text[sum + n]) ++n;
            if (n > most) most = n, best = child;
        }
        sum += most;
        if (most < page) return sum;
        at = best;
    }
    // <<< to here
}

}  // namespace tbt::ex27_01
