// The training text: documents expanded from the grammars in data/corpus (its README describes the
// language of the grammars).
//
// A document depends only on (files, seed, index) and uses integer arithmetic only, so every
// platform trains on the same text. During the expansion the program adds up −log2 P of each
// choice. No model can average fewer bits on these texts: this is the genre's *entropy floor*.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/corpus/documents.hpp"

namespace tbt {

namespace grammar {
struct Tree;
}

class Corpus : public DocumentSource {
public:
    // (name, contents) of one grammar file.
    using File = std::pair<std::string, std::string>;

    // Reads every *.grammar file of a folder, in the order of their names, or of several folders,
    // "data/corpus,data/corpus/world", into one namespace. Throws tbt::Error for the first mistake:
    // "file:line:column: what is wrong".
    static Corpus load(const std::filesystem::path& folders);
    static Corpus load_files(const std::vector<std::filesystem::path>& paths);
    static Corpus from_text(const std::vector<File>& files);

    // Draws a genre by its weight, then a document of it. The bits are −log2 P of all choices, that
    // of the genre included. It is held out if its combination of `hold` values belongs to the
    // validation set.
    Document document(std::uint64_t seed, std::uint64_t index) const override;

    // A document of one genre; the bits are those of the document alone.
    Document document_of(int genre, std::uint64_t seed, std::uint64_t index) const;

    // The number of a genre; throws for an unknown name.
    int genre_named(const std::string& name) const;

    // FNV-1a (64 bits, hexadecimal) over the names and contents of the files.
    std::string hash() const override { return hash_; }

    // A line "file:line:column: …" for each rule that no genre reaches and each table that no rule
    // draws from.
    std::vector<std::string> unused() const;

    // The parsed grammars, for programs that use them in other ways.
    const grammar::Tree& tree() const { return *tree_; }

private:
    std::shared_ptr<const grammar::Tree> tree_;
    std::string hash_;
};

// Some genres of a corpus, with weights chosen by the user: the named ones, in that order. A
// document's bits include the choice of its genre.
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
