// Texts of letters in the plain pages and the plain tree: what part 1 and its picture show.
#pragma once

#include <string>
#include <vector>

namespace tbt {

struct PageByHand {
    int number = 0;  // in the order in which they were taken
    std::string letters;
    bool copied = false;  // from one that begins alike
};

struct TextByHand {
    std::string text;
    std::size_t known = 0;  // of its letters, when it began
    std::vector<PageByHand> pages;
};

// Each begins when the one before it has ended; pages of so many letters.
std::vector<TextByHand> read_by_hand(const std::vector<std::string>& texts,
                                     std::size_t page_letters);

}  // namespace tbt
