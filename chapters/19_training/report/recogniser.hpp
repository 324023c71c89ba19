// Is a text one that the corpus's grammar can write? Exactly: yes if and only if some expansion,
// with all its variables, conditions and numbers, gives it to the last byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus.hpp"

namespace tbt {

class Recogniser {
public:
    // The corpus must outlive it. A text that takes more steps is "undecided": a grammar in which
    // a text can come about in very many ways.
    explicit Recogniser(const Corpus& corpus, std::uint64_t most_steps = 4'000'000);

    enum class Answer { no, yes, undecided };

    // Of one genre (its number), or −1: of any.
    Answer whole(const std::string& text, int genre = -1) const;
    // Is it the beginning of such a text?
    Answer beginning(const std::string& text, int genre = -1) const;

private:
    Answer ask(const std::string& text, int genre, bool prefix) const;

    const Corpus& corpus_;
    std::uint64_t most_steps_;
    std::vector<std::vector<int>> written_;
};

}  // namespace tbt
