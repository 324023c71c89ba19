// Lists in one text: words of a command line, texts of a table.
#pragma once

#include <algorithm>
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

// Texts that may have blanks, with this between them.
inline std::vector<std::string> texts_of(const std::string& list,
                                         const std::string& between = " | ") {
    std::vector<std::string> texts;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(between, at), list.size());
        texts.push_back(list.substr(at, end - at));
        at = end + between.size();
    }
    return texts;
}

}  // namespace tbt::test
