// Exercise 28_01: which heads does a process keep?
//
// A layer has H heads of queries and K heads of keys and values. H is a multiple of K: query heads
// from g·H/K to (g + 1)·H/K − 1 read key head g. The heads are shared by n processes, at most H. A
// process keeps the key heads that its query heads read.
//
// All quotients are rounded down:
//
// 1. Up to K processes: process i keeps the key heads from K·i / n to K·(i + 1) / n − 1, and all
//    query heads that read them.
// 2. More than K: process i keeps one key head, number K·i / n. If it is the j-th (from 0) of m
//    processes with this key head, it keeps of the group's H/K query heads those from (H/K)·j / m
//    to (H/K)·(j + 1) / m − 1.
//
// Example: H = 6, K = 2, so query heads 0 to 2 read key head 0. With n = 4, processes 0 and 1 have
// key head 0, the others key head 1. Process 0 keeps query head 0, process 1 keeps 1 and 2.
//
// Write one function, about 10 lines. Check: make check EX=28_01
#pragma once

#include "exercises/exercise.hpp"

namespace tbt::ex28_01 {

// From the first head to the one before `end`.
struct Heads {
    int first = 0, end = 0;
    bool operator==(const Heads&) const = default;
};

struct Part {
    Heads queries, keys;
};

inline Part part([[maybe_unused]] int i, [[maybe_unused]] int n, [[maybe_unused]] int H,
                 [[maybe_unused]] int K) {
    // >>> write here
    const int group = H / K;
    if (n <= K) {
        const Heads keys = {K * i / n, K * (i + 1) / n};
        return {{keys.first * group, keys.end * group}, keys};
    }
    const int g = K * i / n;
    int j = 0, m = 0;
    for (int other = 0; other < n; ++other)
        if (K * other / n == g) j += other < i, ++m;
    return {{g * group + group * j / m, g * group + group * (j + 1) / m}, {g, g + 1}};
    // <<< to here
}

}  // namespace tbt::ex28_01
