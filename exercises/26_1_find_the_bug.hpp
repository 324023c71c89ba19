// Exercise 26_1: find the bug. A server with one slot always takes the shortest waiting request.
// Its mean time is the best possible, but a customer says that he never got an answer.
//
// 1. Write `witness`: a list of at most 20 requests, of 1 to 10 tokens each, in the order in which
//    they arrive. Request 0 arrives at pass 0. With `shortest_first` it must begin after more than
//    20 passes; by first come, first served it would begin at once.
// 2. Write `fair`: take the shortest request, unless a request has waited `patience` passes or
//    more; then take the request that came first.
//
// Write about 3 and 2 lines. Check: make check EX=26_1
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex26_1 {

struct Request {
    int arrives = 0;  // at this pass
    int tokens = 1;   // passes that it takes
};

constexpr int patience = 10;

// Which waiting request begins now? They are in the order of their arrival; at least one waits.
inline std::size_t shortest_first(const std::vector<Request>& waiting) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < waiting.size(); ++i)
        if (waiting[i].tokens < waiting[best].tokens) best = i;
    return best;
}

inline std::vector<Request> witness() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// now: the current pass.
inline std::size_t fair([[maybe_unused]] const std::vector<Request>& waiting,
                        [[maybe_unused]] int now) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex26_1
