// Some genres of a corpus, with weights chosen by the user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus.hpp"

namespace tbt {

// Its genres are the named ones, in that order. A document's bits include the choice of its genre.
class GenreMix : public DocumentSource {
public:
    // shares: "weather=4,everyday=3", integers, 1 if none is given; or fractions of the bytes,
    // "weather=4%,everyday=3%". Throws Error for a genre that is not in the corpus, and UsageError
    // for a wrong form.
    GenreMix(Corpus corpus, const std::string& shares);

    Document document(std::uint64_t seed, std::uint64_t index) const override;
    std::string hash() const override { return hash_; }  // of the corpus and the shares

private:
    Corpus corpus_;
    std::vector<int> numbers_;  // of the genres in the corpus
    std::vector<std::uint64_t> shares_;
    std::uint64_t total_ = 0;
    std::string hash_;
};

}  // namespace tbt
