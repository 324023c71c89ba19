// The parts of chapter 27's program.
#pragma once

#include <string>

namespace tbt {

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
