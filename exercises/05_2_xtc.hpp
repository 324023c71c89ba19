// Exercise 05_2: exclude top choices (XTC) [p-e-w 2024, text-generation-webui].
//
// The truncations of this chapter drop improbable tokens. XTC does the opposite, now and then:
// if several tokens are good enough, it drops all of them except the least probable one,
// so that the text becomes less predictable but stays sensible.
//
//     with u < probability:   A = {i : p_i >= threshold and p_i > 0};
//                             if |A| >= 2, keep A's last token and all outside A
//     otherwise:              nothing changes
//
// "Last" in the course's order: greater probability first, of equal ones the lower id.
// Then p_i ← p_i / Σ_kept p_j. A threshold above 1/2 never drops anything. Probability 0 is off.
// A threshold or a probability outside [0, 1] is a UsageError.
//
// The chapter's own version is in chapters/05_top_p/further/plain_xtc.hpp; write yours first.
//
// Write one function, about 12 lines. Check: make check EX=05_2
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex05_2 {

// p: one probability for each token, by id; u in [0, 1) decides whether tokens are dropped.
// Returns the new distribution; what was dropped is 0.
inline std::vector<double> exclude_top_choices([[maybe_unused]] std::vector<double> p,
                                               [[maybe_unused]] double threshold,
                                               [[maybe_unused]] double probability,
                                               [[maybe_unused]] double u) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex05_2
