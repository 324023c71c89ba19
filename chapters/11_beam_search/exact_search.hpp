// The best text of all: exhaustive search that leaves out only what provably cannot win.
//
// A log-probability is never above 0, so a sum only falls. What a beginning of n tokens with sum s
// can still become within a budget of N tokens is at most
//
//   bound(s) = s / N^α  (α > 0: the text may grow to N tokens)      s / n^α  (α <= 0)
//
// A branch whose bound does not beat the best text found is cut [Stahlberg & Byrne 2019, §3].
// All V^N texts are judged; how many must be looked at depends on how sure the model is.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/11_beam_search/beam_search.hpp"

namespace tbt {

struct ExactText {
    std::vector<int> ids;  // generated
    double sum = 0, score = -std::numeric_limits<double>::infinity();
    long expanded = 0;   // beginnings that the model read
    bool proven = true;  // false: most_expanded was reached, there may be a better text
};

// The request's length penalty, EOS, stop strings, budget and processor count;
// the number of beams does not. at_least: a score known to be reached (a beam search's),
// from which branches are cut. The result has no ids when nothing is better than at_least.
ExactText exact_search(NextLogits model, const BeamRequest& request, std::span<const int> prompt,
                       double at_least, long most_expanded = 1000000);

}  // namespace tbt
