// Reads plain text and JSON lines as training documents.
#pragma once

#include <filesystem>
#include <string>

#include "chapters/19_training/documents.hpp"

namespace tbt {

// The text with \n as the only line ending, and without a byte order mark.
std::string normalised(const std::string& text);

// A file, or every .txt, .md, .jsonl and .ndjson file under a folder, in the order of their paths.
//
//     *.jsonl, *.ndjson   each line an object; its string "text" is a document
//     any other           plain text; <|endoftext|> separates documents
//
// A text of more than `longest` bytes is split into several documents, since a row of a batch
// should have room for a whole document. It is split at blank lines, otherwise at the end of a
// line, a sentence or a word. The parts of one line of JSON are held out together. One document in
// twenty, and at least one, is held out: those whose text has the smallest hashes. In an epoch
// every document occurs once, in an order that depends on the seed and the epoch.
class TextDocuments : public DocumentSource {
public:
    // Throws Error, one line, if a file is missing, empty or not UTF-8, if a line is not a JSON
    // object with a string "text", or if there are fewer than two documents.
    static TextDocuments load(const std::filesystem::path& path, std::size_t longest = 1024);

    Document document(std::uint64_t seed, std::uint64_t index) const override;
    std::uint64_t count() const override { return pieces_.size(); }
    std::string hash() const override { return hash_; }
    std::uint64_t bytes() const;

private:
    struct Piece {
        std::string text;
        std::uint64_t parent = 0;  // the hash of the document to which it belongs
        bool held_out = false;
    };
    void add_file(const std::filesystem::path& path, std::size_t longest);
    void add_json_lines(const std::string& text, const std::string& name, std::size_t longest);
    void add_document(std::string_view text, std::size_t longest, bool parts_are_documents);
    void hold_out();

    std::vector<Piece> pieces_;
    std::string hash_;
};

}  // namespace tbt
