// What is true of a text in the language of the corpus: whether a genre can write it, and with what
// probability.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/corpus/corpus.hpp"
#include "lib/corpus/tree.hpp"

namespace tbt {

// Decides whether the corpus's grammar can write a text. The answer is exact: yes if and only if
// some expansion, with all its variables, conditions and numbers, gives exactly this text.
class Recogniser {
public:
    // The corpus must outlive this object. If the search takes more than max_steps, because the
    // grammar can write a text in very many ways, the answer is `undecided`.
    explicit Recogniser(const Corpus& corpus, std::uint64_t max_steps = 4'000'000);

    enum class Answer { no, yes, undecided };

    // Is this a whole text of the genre with this number (−1: of any genre)?
    Answer whole(const std::string& text, int genre = -1) const { return ask(text, genre, false); }
    // Is this the beginning of such a text?
    Answer beginning(const std::string& text, int genre = -1) const {
        return ask(text, genre, true);
    }

private:
    Answer ask(const std::string& text, int genre, bool prefix) const;

    const Corpus& corpus_;
    std::uint64_t max_steps_;
    std::vector<std::vector<int>> written_;
};

// The probability of a text in the language of the corpus: the sum over all its derivations, called
// *inside probability* [Baker 1979], here for a grammar with variables. The recognizer's search
// (derivation.hpp) continues after the first derivation, and what the text does not decide is
// summed out.
class TextProbability {
public:
    // The corpus must outlive this object. A text that takes more steps is undecided.
    explicit TextProbability(const Corpus& corpus, std::uint64_t max_steps = 4'000'000);

    // An alternative of a rule or a choice that a derivation took, and the depth of nested rules.
    struct Alternative {
        const std::vector<grammar::Node>* sequence = nullptr;
        int depth = 0;
    };
    struct Result {
        bool decided = true;
        double bits = 0;      // −log2 P(text | genre); infinite if there is no derivation
        int derivations = 0;  // the number of derivations
        std::uint64_t steps = 0;
        std::vector<Alternative> alternatives = {};  // of one derivation, each once
    };

    // For a whole text of the genre with this number; throws if there is no such genre.
    Result whole(const std::string& text, int genre) const { return ask(text, genre, false); }
    // For all texts of the genre with this beginning. It must not end between a/an and its word,
    // where the article is not decided yet.
    Result beginning(const std::string& text, int genre) const { return ask(text, genre, true); }

private:
    Result ask(const std::string& text, int genre, bool prefix) const;

    const Corpus& corpus_;
    std::uint64_t max_steps_;
    std::vector<std::vector<int>> written_;
};

}  // namespace tbt
