// The interface of sources of training text: documents by number. The grammars of a corpus generate
// any number of them (corpus/corpus.hpp); a folder of texts has a fixed number
// (text_documents.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tbt {

struct Document {
    std::string text;
    int genre = 0;          // an index in DocumentSource::genres
    double bits = 0;        // −log2 P of the generator's choices; NaN: not known
    bool held_out = false;  // for validation only, never for training
};

class DocumentSource {
public:
    virtual ~DocumentSource() = default;

    // Document `index` of the stream `seed`. It depends only on these and on the source's files,
    // and is the same on every machine.
    virtual Document document(std::uint64_t seed, std::uint64_t index) const = 0;

    // The number of documents in an epoch, after which they are repeated in another order; 0: no
    // end.
    virtual std::uint64_t count() const { return 0; }

    // A hash of everything on which the documents depend, as hexadecimal digits.
    virtual std::string hash() const = 0;

    std::vector<std::string> genres;
};

}  // namespace tbt
