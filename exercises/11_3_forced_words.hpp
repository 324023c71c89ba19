// Exercise 11_3: beam search for a text that holds given words [Hokamp & Liu 2017; Anderson et al.
// 2017; Post & Vilar 2018].
//
// Given words, each a row of at least one token, must occur in the generated text. Plain beam
// search drops them wherever they are improbable. So beams compete only with beams that have come
// equally far:
//
//     met(text) = the sum of the lengths of all words that occur in the text, in
//                 one piece, plus the length of the longest beginning of any
//                 other word with which the text ends
//
// Example, with the words {1 2} and {3}: 0 1 2 0 has 2, 3 0 1 has 1 + 1, 1 0 has 0.
//
// A beam is a text, its sum of ln p, and what it has met. Begin with the empty text, and repeat, n
// times or until no beam is live:
//
//     1. extend every live beam by every token, as in 11_01; but extend it by eos only if its text
//        holds all words.
//     2. of these take B, in turns: the best of those that have met most, then the best of those
//        that have met the next lower number, and so on down to the lowest; then the second best of
//        each number, again from the top. The best has the greatest sum; of equal sums the earlier
//        beam comes first, and of one beam the lower id. A number with no beam left is passed over.
//     3. beams that end in eos are finished. The others are live, in the order in which they were
//        taken.
//
// After the n-th token, the live beams that hold all words are finished, too. The result is all
// finished beams, the greatest sum first; of equal sums, the one that finished earlier.
//
// Example: p = .7 .1 .2 at first; after 0: .4 .5 .1; after others: .8 .1 .1. The word is {1}, n =
// 2, and no token is eos. One beam takes 1 at once and finds 1 0 with .08. Two beams keep 0 too,
// and find 0 1 with .35, where the word fits better.
//
// If every token has p > 0, even one beam finds the words within as many tokens as they have. If B
// is large enough, the first text is the best of all that hold the words.
//
// Write four functions, about 9, 8, 13 and 14 lines. Check: make check EX=11_3
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex11_3 {

using Ids = std::vector<int>;
using LogDistribution =
    std::function<std::vector<double>(const Ids& text)>;  // ln p of each token after it

struct Beam {
    Ids text;  // what is generated, without the prompt
    double sum = 0;
    std::size_t met = 0;
};

// What a text has met that holds all words.
inline std::size_t all_of(const std::vector<Ids>& words) {
    std::size_t all = 0;
    for (const Ids& word : words) all += word.size();
    return all;
}

inline std::size_t met([[maybe_unused]] const Ids& text,
                       [[maybe_unused]] const std::vector<Ids>& words) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// Step 2 alone: the candidates come in order, the best first.
inline std::vector<Beam> take_turns([[maybe_unused]] const std::vector<Beam>& candidates,
                                    [[maybe_unused]] std::size_t B) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// Step 1 alone.
inline std::vector<Beam> extended([[maybe_unused]] const std::vector<Beam>& live,
                                  [[maybe_unused]] const LogDistribution& distribution,
                                  [[maybe_unused]] const std::vector<Ids>& words,
                                  [[maybe_unused]] int eos) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// B is at least 1, and no word contains eos.
inline std::vector<Beam> search_with_words([[maybe_unused]] const LogDistribution& distribution,
                                           [[maybe_unused]] const std::vector<Ids>& words,
                                           [[maybe_unused]] std::size_t B, [[maybe_unused]] int n,
                                           [[maybe_unused]] int eos) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex11_3
