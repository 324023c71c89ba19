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

// The parts of chapter 27's program.

struct Model;

// 1. Three texts in pages of four letters: their page tables, and the tree of what is known.
void show_pages();
// 2. Twenty questions after the same system prompt of 400 tokens, without the tree and with it.
void show_questions(Model& model);
// 3. The same, all at once and with less and less memory; the texts against each one alone.
void show_preemption(Model& model, int slots);
// 4. Part 2 by the clock.
void show_times(Model& model);

// Part 1 as a picture.
void write_pages_figure(const std::string& file);

}  // namespace tbt
