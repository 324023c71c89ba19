// Reads a merge as written in tokenizer files: "a b", or in newer files ["a", "b"].
#pragma once

#include <string_view>

namespace tbt {

struct MergePair {
    std::string_view left, right;
};

// Splits "a b" at its only space. False if the text does not have this form.
inline bool split_merge(std::string_view both, MergePair& pair) {
    const std::size_t space = both.find(' ');
    if (space == 0 || space == std::string_view::npos || space + 1 == both.size() ||
        both.find(' ', space + 1) != std::string_view::npos)
        return false;
    pair = {both.substr(0, space), both.substr(space + 1)};
    return true;
}

}  // namespace tbt
