// What the model is asked: prompts with the one right answer, taken from the world and the
// grammars.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "chapters/19_training/report/recogniser.hpp"

namespace tbt {

struct Question {
    std::string prompt, answer;
};

// Only those whose sentence the corpus writes: what was never taught is not asked.
std::vector<Question> sums(const Recogniser& recogniser);
std::vector<Question> calendar(const Recogniser& recogniser);
// Name, job and home of everyone in the corpus's table "person", as beginnings of JSON records.
std::vector<Question> people(const Corpus& corpus, const Recogniser& recogniser);
// Lines "… → …" of a genre, held out or all, each prompt once.
std::vector<Question> translations(const Corpus& corpus, int genre, std::size_t most,
                                   bool held_out);
// Those that hold a word which none before holds: together they hold every word of all.
std::vector<Question> with_every_word(const std::vector<Question>& questions);

// The genre's number, or −1.
int find_genre(const Corpus& corpus, const std::string& name);

// The beginnings of a genre's documents up to the end of what `cut` finds (npos: none), each once,
// in the order in which they are drawn.
std::vector<std::string> beginnings(const Corpus& corpus, int genre, bool held_out,
                                    std::size_t most,
                                    const std::function<std::size_t(const std::string&)>& cut);

// Does the text begin with the answer, and is that where its word ends?
bool answers(const std::string& text, const std::string& answer);

}  // namespace tbt
