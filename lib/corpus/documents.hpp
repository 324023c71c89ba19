// Sources of training text: documents by number. The grammars of a corpus generate any number of
// them (corpus.hpp); a folder of texts has a fixed number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
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

// The text with \n as the only line ending, and without a byte order mark.
std::string normalised(const std::string& text);

// Plain text and JSON lines as training documents: a file, or every .txt, .md, .jsonl and .ndjson
// file under a folder, in the order of their paths.
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

// The documents that a model was trained on, by the recipe in its directory.
struct TrainedOn {
    std::string corpus = "data/corpus";  // folders of grammar files
    std::string genres;                  // those of the corpus that were read, with their shares
    std::string text;                    // a file or folder of texts instead
    std::size_t longest = 1024;          // the bytes after which texts are cut: two a token
};

// Without a recipe.json, or if it does not say, the corpus. Throws Error if the recipe is not JSON.
TrainedOn trained_on(const std::filesystem::path& model);

// Throws Error and UsageError as Corpus, GenreMix and TextDocuments do.
std::unique_ptr<DocumentSource> open_documents(const TrainedOn& from);

// The documents of a corpus; if none is given, those that the model was trained on.
std::unique_ptr<DocumentSource> documents_for(const std::filesystem::path& model,
                                              const std::string& corpus);

}  // namespace tbt
