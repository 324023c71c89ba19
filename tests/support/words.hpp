// For tests of options.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace tbt::test {

// The words of a command line that needs no quotes.
inline std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

}  // namespace tbt::test
