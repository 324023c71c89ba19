// How exercise 17_2 shows words in pieces.
#pragma once

#include <ostream>

#include "17_2_learn.hpp"
#include "tests/exercises/exercise_check.hpp"

// "5 × l|o|w"
namespace tbt::ex17_2 {
inline std::ostream& operator<<(std::ostream& out, const Word& word) {
    out << word.times << " × ";
    for (std::size_t i = 0; i < word.pieces.size(); ++i)
        out << (i > 0 ? "|" : "") << word.pieces[i];
    return out;
}
}  // namespace tbt::ex17_2
