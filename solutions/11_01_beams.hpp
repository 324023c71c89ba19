// Exercise 11_01: beam search.
//
// A beam is a text and the sum of ln p of its generated tokens. Begin with one, the prompt (sum 0),
// and repeat, n times or until no beam is live:
//
//     1. extend every live beam by every token. A token with ln p = −∞ makes no beam.
//     2. keep the B with the greatest sums; of equal ones those of the earlier beam, and of one
//        beam the lower id.
//     3. of these, the ones that end in eos are finished: they leave and are never extended.
//        The others are live, in the same order.
//
// After the n-th token the live beams are finished too. The result is all finished beams, the
// greatest sum first; of equal sums the one finished earlier. With n = 0 that is the prompt.
//
// Example: token 0 has .6 and 1 has .4; after 0 both have .5, after 1 they have .1 and .9. One
// beam, n = 2, finds 0 0 with .3; two beams find 1 1 with .36 and 0 0 with .3.
//
// Write one function, about 18 lines. Check: make check EX=11_01
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex11_01 {

using LogDistribution =
    std::function<std::vector<double>(const std::vector<int>& ids)>;  // ln p of each

struct Beam {
    std::vector<int> ids;  // prompt and generated
    double sum = 0;
};

// B and n are at least 1 and 0.
inline std::vector<Beam> beam_search([[maybe_unused]] const LogDistribution& distribution,
                                     [[maybe_unused]] const std::vector<int>& prompt,
                                     [[maybe_unused]] std::size_t B, [[maybe_unused]] int n,
                                     [[maybe_unused]] int eos) {
    // >>> write here
    const auto better = [](const Beam& a, const Beam& b) { return a.sum > b.sum; };
    std::vector<Beam> live{{prompt, 0}}, finished;
    for (int step = 0; step < n && !live.empty(); ++step) {
        std::vector<Beam> longer;
        for (const Beam& beam : live) {
            const std::vector<double> logs = distribution(beam.ids);
            for (std::size_t id = 0; id < logs.size(); ++id) {
                if (logs[id] == -HUGE_VAL) continue;
                longer.push_back({beam.ids, beam.sum + logs[id]});
                longer.back().ids.push_back(static_cast<int>(id));
            }
        }
        std::stable_sort(longer.begin(), longer.end(), better);
        longer.resize(std::min(longer.size(), B));
        live.clear();
        for (const Beam& beam : longer) (beam.ids.back() == eos ? finished : live).push_back(beam);
    }
    finished.insert(finished.end(), live.begin(), live.end());
    std::stable_sort(finished.begin(), finished.end(), better);
    return finished;
    // <<< to here
}

}  // namespace tbt::ex11_01
