// Exercise 11_1: diverse beam search [Vijayakumar et al. 2018]: one step of it.
//
// Beams end up as near copies of one another. So the B beams are split into G groups of W,
// and the groups choose one after the other. Group g chooses its W best continuations by
//
//     score of the beam + ln p(token) − λ · (how often groups 0 … g−1 have just chosen this token)
//
// The first group searches as if it were alone, the others are pushed away from it.
// The penalty only decides which ones are chosen: a continuation keeps the model's own score,
// score of the beam + ln p(token).
//
// Within a group: the greatest value first; of equal values the lower beam, then the lower token.
// λ = 0: plain beam search in each group. Beams of one group may choose the same token
// without any penalty.
//
// (The program of chapter 11 leaves the penalty in the score, as transformers does;
// the paper, and you, don't.)
//
// Write one function, about 20 lines. Check: make check EX=11_1
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex11_1 {

struct Continuation {
    int beam = 0;  // within its group
    int token = 0;
    double score = 0;  // the model's own
};

struct Group {
    std::vector<double> scores;                          // (W): of each beam so far
    std::vector<std::vector<double>> log_probabilities;  // (W, V): of the token that follows
};

struct Choice {
    Continuation continuation;
    double value = 0;  // what decides
};

// For each group its W best continuations, best first (there are always W·V candidates,
// so never fewer than W).
inline std::vector<std::vector<Continuation>> diverse_step(
    [[maybe_unused]] const std::vector<Group>& groups, [[maybe_unused]] double lambda) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex11_1
