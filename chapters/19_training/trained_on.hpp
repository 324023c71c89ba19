// The documents that a model was trained on, by the recipe in its directory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "chapters/19_training/documents.hpp"

namespace tbt {

struct TrainedOn {
    std::string corpus = "data/corpus";  // folders of grammar files
    std::string genres;                  // those of the corpus that were read, with their shares
    std::string text;                    // a file or folder of texts instead
};

// Without a recipe.json, or if it does not say, the corpus. Throws Error if the recipe is not JSON.
TrainedOn trained_on(const std::filesystem::path& model);

// Documents of a text are cut after `longest` bytes. Throws Error and UsageError as Corpus,
// GenreMix and TextDocuments do.
std::unique_ptr<DocumentSource> open_documents(const TrainedOn& from, std::size_t longest);

// The documents of a corpus; if none is given, those that the model was trained on.
std::unique_ptr<DocumentSource> documents_for(const std::filesystem::path& model,
                                              const std::string& corpus, std::size_t longest);

}  // namespace tbt
