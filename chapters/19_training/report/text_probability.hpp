// How probable is a text in the language of the corpus? The sum over all its derivations: the
// *inside probability* [Baker 1979], here for a grammar that has
// variables. The recogniser's search (derivation.hpp) is continued to its end, and what the text
// leaves open is summed out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus.hpp"
#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt {

class TextProbability {
public:
    // The corpus must outlive it. A text that takes more steps is undecided.
    explicit TextProbability(const Corpus& corpus, std::uint64_t most_steps = 4'000'000);

    // An alternative of a rule or a choice that a derivation took, and how many rules deep.
    struct Alternative {
        const std::vector<grammar::Node>* sequence = nullptr;
        int depth = 0;
    };
    struct Result {
        bool decided = true;
        double bits = 0;      // −log2 P(text | genre); infinite for a text of no derivation
        int derivations = 0;  // how many there are
        std::uint64_t steps = 0;
        std::vector<Alternative> alternatives = {};  // of one derivation, each once
    };

    // Of one genre (its number; throws for one that does not exist).
    Result whole(const std::string& text, int genre) const;
    // Of all texts of the genre that begin so. The beginning must not end between a/an and its
    // word, where the article is not decided yet.
    Result beginning(const std::string& text, int genre) const;

private:
    Result ask(const std::string& text, int genre, bool prefix) const;

    const Corpus& corpus_;
    std::uint64_t most_steps_;
    std::vector<std::vector<int>> written_;
};

}  // namespace tbt
