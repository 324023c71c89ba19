// Decides whether the corpus's grammar can write a text. The answer is exact: yes if and only if
// some expansion, with all its variables, conditions and numbers, gives exactly this text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus.hpp"

namespace tbt {

class Recogniser {
public:
    // The corpus must outlive this object. If the search takes more than max_steps, because the
    // grammar can write a text in very many ways, the answer is `undecided`.
    explicit Recogniser(const Corpus& corpus, std::uint64_t max_steps = 4'000'000);

    enum class Answer { no, yes, undecided };

    // Is this a whole text of the genre with this number (−1: of any genre)?
    Answer whole(const std::string& text, int genre = -1) const;
    // Is this the beginning of such a text?
    Answer beginning(const std::string& text, int genre = -1) const;

private:
    Answer ask(const std::string& text, int genre, bool prefix) const;

    const Corpus& corpus_;
    std::uint64_t max_steps_;
    std::vector<std::vector<int>> written_;
};

}  // namespace tbt
