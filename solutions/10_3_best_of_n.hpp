// Exercise 10_3: write n texts, keep one.
//
// Best of n: keep the text of which the model is surest. Its log-probability Σ ln p_i falls with
// every token, so the sum alone would favour short texts; the mean per token does not:
//
//     score = (ln p_1 + … + ln p_n) / n        the greatest wins, of equal scores the earlier text
//
// A text without tokens has no mean, and is passed over; if no text has tokens, the first one is
// kept.
//
// Self-consistency [Wang et al. 2022]: when texts end in an answer, let them vote.
// The same wrong answer rarely comes twice; right ways of thinking lead to the same answer.
// The most frequent answer wins, of equally frequent ones the one that came first;
// an empty answer is no vote. If there is no vote, return the empty answer. Two answers are the
// same if they are written the same.
//
// Write two functions, about 15 lines. Check: make check EX=10_3.
// Then see what it keeps: make try EX=10_3
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex10_3 {

// log_probabilities[t][i]: ln p of token i of text t, finite; at least one text.
// Returns the index of the best one.
inline std::size_t best_of(
    [[maybe_unused]] const std::vector<std::vector<double>>& log_probabilities) {
    // >>> write here
    std::size_t best = 0;
    double best_score = -std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < log_probabilities.size(); ++t) {
        const std::vector<double>& text = log_probabilities[t];
        if (text.empty()) continue;
        double sum = 0;
        for (const double x : text) sum += x;
        const double score = sum / static_cast<double>(text.size());
        if (score > best_score) {
            best = t;
            best_score = score;
        }
    }
    return best;
    // <<< to here
}

inline std::string vote([[maybe_unused]] const std::vector<std::string>& answers) {
    // >>> write here
    std::map<std::string, int> votes;
    for (const std::string& answer : answers) {
        if (!answer.empty()) ++votes[answer];
    }
    std::string winner;
    for (const std::string& answer : answers) {
        if (winner.empty() || votes[answer] > votes[winner]) winner = answer;
    }
    return winner;
    // <<< to here
}

}  // namespace tbt::ex10_3
