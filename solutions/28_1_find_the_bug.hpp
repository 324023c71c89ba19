// Exercise 28_1: find the bug. This training gives other weights on two machines than on one,
// though both see the same batches. So a run cannot be repeated on another number of machines.
//
// A batch is split into parts, always as many. parts[p] is the gradient of part p, one number for
// each parameter; the sum over all parts is the gradient of the batch. The processes share the
// parts. `added_by_process` is how they are added: each process adds its own, then the sums of the
// processes are added.
//
// 1. Write `witness`: the gradients of four parts, with one number each, whose sum is not the same
//    on one process and on two. The numbers are finite.
// 2. Write `slice`: process i of `processes` gets its share of the numbers of all parts: of G
//    numbers those from G·i / processes to G·(i + 1) / processes − 1, rounded down. For each of
//    them it returns the sum over all parts, with the bits of one process.
//
// Write about 1 and 6 lines. Check: make check EX=28_1
#pragma once

#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex28_1 {

using Row = std::vector<float>;

inline Row added_by_process(const std::vector<Row>& parts, std::size_t processes) {
    const std::size_t P = parts.size(), G = parts.at(0).size();
    Row sum(G);
    for (std::size_t i = 0; i < processes; ++i) {
        Row own(G);
        for (std::size_t p = P * i / processes; p < P * (i + 1) / processes; ++p)
            for (std::size_t g = 0; g < G; ++g) own[g] += parts[p][g];
        for (std::size_t g = 0; g < G; ++g) sum[g] += own[g];
    }
    return sum;
}

inline std::vector<Row> witness() {
    // >>> write here
    return {{1}, {1e8f}, {-1e8f}, {1}};
    // <<< to here
}

inline Row slice([[maybe_unused]] const std::vector<Row>& parts, [[maybe_unused]] std::size_t i,
                 [[maybe_unused]] std::size_t processes) {
    // >>> write here
    const std::size_t G = parts.at(0).size(), first = G * i / processes;
    Row sum(G * (i + 1) / processes - first);
    for (const Row& part : parts)
        for (std::size_t g = 0; g < sum.size(); ++g) sum[g] += part[first + g];
    return sum;
    // <<< to here
}

}  // namespace tbt::ex28_1
