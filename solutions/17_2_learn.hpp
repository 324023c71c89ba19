// Exercise 17_2: learn the next merge.
//
// `words` are split into pieces already. Each word comes with the number of times that it occurs in
// the texts. The next merge is the pair of neighbours that occurs most often in the texts, counted
// over all words; of equally frequent pairs it is the smaller one (std::pair compares the left
// pieces first). All neighbours count, even where pairs overlap: "a a a" holds (a, a) twice. If
// there are no neighbours at all, return the pair of two empty strings.
//
//     {{"l","o","w"} 5 times, {"l","o","t"} 2 times}   →   ("l", "o"): 7
//
// Write one function, about 10 lines. Check: make check EX=17_2
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex17_2 {

struct Word {
    std::vector<std::string> pieces;
    long times = 0;
};
using Merge = std::pair<std::string, std::string>;

inline Merge next_merge([[maybe_unused]] const std::vector<Word>& words) {
    // >>> write here
    std::map<Merge, long> counts;
    for (const Word& word : words)
        for (std::size_t i = 0; i + 1 < word.pieces.size(); ++i)
            counts[{word.pieces[i], word.pieces[i + 1]}] += word.times;
    Merge best;
    long most = 0;
    for (const auto& [pair, times] : counts)
        if (times > most) best = pair, most = times;
    return best;
    // <<< to here
}

}  // namespace tbt::ex17_2
