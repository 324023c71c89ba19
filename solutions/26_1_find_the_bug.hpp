// Exercise 26_1: find the bug. A server with one slot takes the shortest request that waits. The
// mean time is the best possible, every benchmark is happy, and a customer says that he never got
// an answer.
//
// 1. Write the instrument: a list of at most 20 requests, of 1 to 10 tokens each, in the order of
//    their arrival. Request 0 arrives at pass 0. Under `shortest_first` it begins after more than
//    20 passes, and by first come, first served it would begin at once.
// 2. Write `fair`: the shortest first, unless somebody has waited `patience` passes or more; then
//    the one who came first.
//
// About 3 and 2 lines. Check: make check EX=26_1
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

// Which of those who wait begins now? They are in the order of their arrival, and somebody waits.
inline std::size_t shortest_first(const std::vector<Request>& waiting) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < waiting.size(); ++i)
        if (waiting[i].tokens < waiting[best].tokens) best = i;
    return best;
}

inline std::vector<Request> witness() {
    // >>> write here
    std::vector<Request> requests = {{0, 10}};
    for (int i = 0; i < 12; ++i) requests.push_back({2 * i, 2});
    return requests;
    // <<< to here
}

// now: the present pass.
inline std::size_t fair([[maybe_unused]] const std::vector<Request>& waiting,
                        [[maybe_unused]] int now) {
    // >>> write here
    if (now - waiting[0].arrives >= patience) return 0;
    return shortest_first(waiting);
    // <<< to here
}

}  // namespace tbt::ex26_1
