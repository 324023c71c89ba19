// Where training text comes from: documents by number. The grammars of a corpus write them without
// an end (corpus/corpus.hpp); a folder of texts has so many (text_documents.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tbt {

struct Document {
    std::string text;
    int genre = 0;          // an index into genres
    double bits = 0;        // -log2 P with which its writer chose it; not a number: nobody knows
    bool held_out = false;  // never trained on: validation reads it
};

class DocumentSource {
public:
    virtual ~DocumentSource() = default;

    // A pure function of (what is after this source, seed, index), the same on every machine.
    virtual Document document(std::uint64_t seed, std::uint64_t index) const = 0;

    // How many documents there are before they come again, in another order; 0: they never do.
    virtual std::uint64_t count() const { return 0; }

    // Of everything that decides the documents, as hexadecimal digits.
    virtual std::string hash() const = 0;

    std::vector<std::string> genres;
};

}  // namespace tbt
