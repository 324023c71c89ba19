// Exercise 08_00: what has been written, and how does it end?
//
//     written(ids, prompt)   the tokens that were generated, each once, ascending. The first
//                            `prompt` ids are the prompt and don't count.
//     ends_in(ids, passage)  does the text end in this passage, token by token? Every text ends in
//                            a passage of no tokens; no text ends in a passage longer than itself.
//
// Example: in 5 9 3 9 3, with a prompt of two tokens, 3 and 9 were generated. The text ends in 9 3,
// but not in 3 9.
//
// Write two functions, about 2 and 3 lines. Check: make check EX=08_00
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex08_00 {

using Ids = std::vector<int>;

// prompt: at most as many as there are ids.
inline std::set<int> written([[maybe_unused]] const Ids& ids, [[maybe_unused]] std::size_t prompt) {
    // >>> write here
    return {ids.begin() + static_cast<std::ptrdiff_t>(prompt), ids.end()};
    // <<< to here
}

inline bool ends_in([[maybe_unused]] const Ids& ids, [[maybe_unused]] const Ids& passage) {
    // >>> write here
    return passage.size() <= ids.size() &&
           std::equal(passage.rbegin(), passage.rend(), ids.rbegin());
    // <<< to here
}

}  // namespace tbt::ex08_00
