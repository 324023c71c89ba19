// The questions of the report: prompts with one right answer, taken from the corpus.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/corpus/text_probability.hpp"

namespace tbt {

struct Question {
    std::string prompt, answer;
};

// These return only questions whose sentence the corpus can write, so that the model could learn
// it.
std::vector<Question> sums(const Recogniser& recogniser);
std::vector<Question> calendar(const Recogniser& recogniser);
// Name, job and home of everyone in the corpus's table "person", as beginnings of JSON records.
std::vector<Question> people(const Corpus& corpus, const Recogniser& recogniser);
// Lines "… → …" of a genre, of held-out or of all documents, with each prompt once, at most `most`.
std::vector<Question> translations(const Corpus& corpus, int genre, std::size_t most,
                                   bool held_out);
// The questions that have a word which no earlier question has. Together they have every word of
// all questions.
std::vector<Question> with_every_word(const std::vector<Question>& questions);

// The genre's number, or −1 if there is no such genre.
int find_genre(const Corpus& corpus, const std::string& name);

// The beginnings of a genre's documents, each once, in the order in which they are drawn.
// cut(document) returns the end of its beginning; npos: the document has none.
std::vector<std::string> beginnings(const Corpus& corpus, int genre, bool held_out,
                                    std::size_t most,
                                    const std::function<std::size_t(const std::string&)>& cut);

// Does the text begin with the answer, and does a word end there?
bool answers(const std::string& text, const std::string& answer);

}  // namespace tbt
