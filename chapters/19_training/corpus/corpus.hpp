// The training text: documents expanded from the grammars in data/corpus (its README has the
// language).
//
// Every document is a pure function of (files, seed, index), in integer arithmetic only, so every
// platform trains on the same text. While it expands, the program adds up -log2 P of each choice:
// no model can average fewer bits on this text, the genre's *entropy floor*.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chapters/19_training/documents.hpp"

namespace tbt {

namespace grammar {
struct Tree;
}

class Corpus : public DocumentSource {
public:
    // Its bits are -log2 P of all the choices that were made; it is held out when its combination
    // of `hold` values belongs to the validation set.
    using Document = tbt::Document;

    // (name, contents) of one grammar file.
    using File = std::pair<std::string, std::string>;

    // Reads every *.grammar file of the folder, in the order of their names; of several folders,
    // "data/corpus,data/corpus/world", one after the other, into one namespace. Throws tbt::Error,
    // "file:line:column: what is wrong", for the first thing that is wrong.
    static Corpus load(const std::filesystem::path& folders);
    static Corpus load_files(const std::vector<std::filesystem::path>& paths);
    static Corpus from_text(const std::vector<File>& files);

    // Draws a genre by its share, then a document of it. The bits include the choice of the genre.
    Document document(std::uint64_t seed, std::uint64_t index) const override;

    // A document of one genre; the bits are those of the document alone.
    Document document_of(int genre, std::uint64_t seed, std::uint64_t index) const;

    // The number of a genre; throws for an unknown name.
    int genre_named(const std::string& name) const;

    // FNV-1a (64 bits, hexadecimal) over the names and contents of the files.
    std::string hash() const override { return hash_; }

    // Rules that no genre reaches and tables that no rule draws from: "file:line:column: ...".
    std::vector<std::string> unused() const;

    // What the files became; for programs that read the grammar in other ways.
    const grammar::Tree& tree() const { return *tree_; }

private:
    std::shared_ptr<const grammar::Tree> tree_;
    std::string hash_;
};

}  // namespace tbt
