// Some genres of a corpus, in shares of one's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus.hpp"

namespace tbt {

// Its genres are those that were named, in that order; a document's bits include the choice
// of its genre.
class GenreMix : public DocumentSource {
public:
    // shares as "weather=4,everyday=3": whole numbers, 1 where there is none; or of the bytes,
    // "weather=4%,everyday=3%".
    // Throws Error for a genre that the corpus has not, UsageError for anything else.
    GenreMix(Corpus corpus, const std::string& shares);

    Document document(std::uint64_t seed, std::uint64_t index) const override;
    std::string hash() const override { return hash_; }  // of the corpus and the shares

private:
    Corpus corpus_;
    std::vector<int> numbers_;  // in the corpus
    std::vector<std::uint64_t> shares_;
    std::uint64_t total_ = 0;
    std::string hash_;
};

}  // namespace tbt
