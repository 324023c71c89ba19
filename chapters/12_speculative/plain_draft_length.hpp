// A plain choice of the draft's length without a clock: by the models' sizes and the guesses
// accepted so far. draft_length.hpp computes the same, round by round.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// Throws UsageError unless a round may draft this many tokens.
inline void check_draft_length(long long length) {
    if (length >= 1 && length <= 1024) return;
    throw UsageError("num-assistant-tokens: got " + std::to_string(length) +
                     ", expected 1 or more, up to 1024; without a draft use chapter 10");
}

// Throws Error unless the acceptance (the share of right guesses) is from 0 to 1, and the length of
// a draft from 0 to 1024.
inline void check_acceptance(double acceptance, int length) {
    if (!(acceptance >= 0 && acceptance <= 1) || length < 0 || length > 1024)
        throw Error("draft length: acceptance " + short_number(acceptance) + " and " +
                    std::to_string(length) + " tokens, expected 0 to 1 and 0 to 1024");
}

// Throws UsageError unless the cost of a guess is above 0.
inline void check_guess_cost(double cost) {
    if (!(cost > 0 && cost <= 1e9))
        throw UsageError("draft length: a guess costs " + short_number(cost) +
                         " tokens, expected a number above 0");
}

// The time of a guess, in times of a plain token: a pass over the draft's weights, and one more row
// for the target. A row is cheap if the target's weights come from memory (from 32 million of 16
// bits on, which caches cannot hold) and expensive if they are cached. Both values are cautious:
// where_it_pays.md measures .07 and at most .4.
inline double cost_of_guess(std::int64_t draft_weights, std::int64_t target_weights) {
    if (draft_weights < 0 || target_weights < 1)
        throw Error("cost of a guess: models of " + std::to_string(draft_weights) + " and " +
                    std::to_string(target_weights) + " weights, expected 0 or more, 1 or more");
    const double row = target_weights > 32'000'000 ? 0.1 : 0.6;
    return static_cast<double>(draft_weights) / static_cast<double>(target_weights) + row;
}

// The γ with the most tokens per time; the smallest if there are several. A round of γ guesses,
// each right with probability α, gives 1 + α + … + α^γ tokens in the time of 1 + γ·c plain tokens
// [Leviathan et al. 2023, §3]. α + … + α^γ <= γ·α, so drafting gains nothing unless α > c; else 0.
inline int plain_best_length(double alpha, double cost, int most) {
    check_acceptance(alpha, most);
    check_guess_cost(cost);
    int best = 0;
    double most_gained = 1, tokens = 1, power = 1;
    for (int length = 1; length <= most; ++length) {
        tokens += power *= alpha;
        const double gained = tokens / (1 + cost * length);
        if (gained > most_gained) best = length, most_gained = gained;
    }
    return best;
}

struct JudgedRound {
    int judged = 0, accepted = 0;  // 0 judged: nothing was drafted
};

// The length for the next round. α: accepted divided by judged guesses, each round weighing .9 of
// the one after it; at first as if three had been judged and .8 of them accepted. If the length
// falls to 0, drafting starts again after 16 plain tokens, then after 128, 1024, …: rarely, since
// the draft must first read all that was written meanwhile.
inline int plain_draft_length(const std::vector<JudgedRound>& rounds, double cost, int most) {
    double judged = 3, accepted = .8 * 3;
    int waited = 0, wait = 16;
    for (const JudgedRound& round : rounds) {
        if (round.judged > 0) {
            judged = .9 * judged + round.judged, accepted = .9 * accepted + round.accepted;
        } else if (plain_best_length(accepted / judged, cost, most) == 0 && ++waited == wait) {
            judged = 3, accepted = .8 * 3, waited = 0, wait *= 8;
        }
    }
    return plain_best_length(accepted / judged, cost, most);
}

}  // namespace tbt
