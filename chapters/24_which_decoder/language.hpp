// The true distribution p: documents of the corpus's grammar, the genre drawn by its share, as
// continuations of a beginning that is given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/corpus/corpus.hpp"
#include "lib/corpus/text_probability.hpp"
#include "lib/files/model.hpp"

namespace tbt {

// A document in two parts: what is given to every decoder, and what it goes on with in truth.
struct Passage {
    std::string beginning, rest;
    std::vector<int> prompt;       // the document separator and the beginning
    std::vector<int> ids;          // prompt, rest, separator
    double beginning_bits = 0;     // −log2 p(beginning)
    double rest_bits = 0;          // −log2 p(rest | beginning), its end included
    std::vector<int> genres = {};  // that have documents which begin so
};

class Language {
public:
    // The corpus must outlive it.
    explicit Language(const Corpus& corpus) : corpus_(corpus), probability_(corpus) {}

    // −log2 p(text | the passage's beginning), the text's end included; infinite for a text outside
    // the language. used, if given: the alternatives of its most probable genre's derivation.
    // Throws Error where that cannot be decided in the steps that TextProbability takes.
    double bits(const Passage& passage, const std::string& text,
                std::vector<TextProbability::Alternative>* used = nullptr) const;

    // `count` documents of the genre, cut where a word ends, after at least `least_bytes`, and so
    // that the tokens of both parts are those of the whole. Passage i is the same on every machine.
    std::vector<Passage> passages(const Tokenizer& tokenizer, const std::string& genre, int count,
                                  std::uint64_t seed, std::size_t least_bytes = 12) const;

private:
    // The genres' probabilities of a text added up: of the whole text, or of all that begin so.
    double sum(const std::vector<int>& genres, const std::string& text, bool whole,
               std::vector<TextProbability::Alternative>* used) const;

    const Corpus& corpus_;
    TextProbability probability_;
};

// The byte at which the document is cut; npos where there is none.
std::size_t place_to_cut(const Tokenizer& tokenizer, const std::string& text,
                         std::size_t least_bytes);

}  // namespace tbt
