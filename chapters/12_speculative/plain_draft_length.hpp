// How many tokens to draft without a clock, plainly: by the models' sizes and what was accepted.
// draft_length.hpp says the same, round by round.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/12_speculative/checks.hpp"

namespace tbt {

// A guess in plain tokens' time: a pass over the draft's weights, and a row more for the target to
// judge. A row is cheap where the target's weights must come from memory, 32 million of 16 bits
// being more than caches hold, and dear where they are at hand. Measured: lesson 12, second page.
inline double cost_of_guess(std::int64_t draft_weights, std::int64_t target_weights) {
    if (draft_weights < 0 || target_weights < 1)
        throw Error("cost of a guess: models of " + std::to_string(draft_weights) + " and " +
                    std::to_string(target_weights) + " weights, expected 0 or more, 1 or more");
    const double row = target_weights > 32'000'000 ? 0.1 : 0.6;
    return static_cast<double>(draft_weights) / static_cast<double>(target_weights) + row;
}

// Of a round of γ guesses, each right with probability α: (1 + α + … + α^γ) tokens in the time of
// 1 + γ·c [Leviathan et al. 2023, §3]. The γ with most tokens for its time, the smaller of equals.
// α + … + α^γ is γ·α at most, so nothing pays unless α > c: then 0.
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

// Of the next round. α is what was accepted of what was judged, a round counting .9 of the one
// after it; a draft begins as if three had been judged and .8 of them accepted. Where it falls to
// 0 it begins anew after 16 plain tokens, then after 128, after 1024, …: a draft that lost is tried
// rarely, since it has to read all that was written meanwhile.
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
