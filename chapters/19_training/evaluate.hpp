// Validates a finished model, loaded from its directory.
#pragma once

#include <filesystem>
#include <string>

#include "chapters/19_training/validation.hpp"
#include "lib/files/model.hpp"

namespace tbt {

struct Evaluation {
    std::vector<GenreResult> genres;
    GenreResult total;
};

// Evaluates on the documents that training validates on: the first `documents` held-out ones of
// each genre.
Evaluation evaluate_model(const DocumentSource& source, Model& model, std::int64_t documents);

// The table of bits per byte. Throws Error if the directory is not a model.
std::string evaluate_directory(const DocumentSource& source, const std::filesystem::path& directory,
                               int threads, std::int64_t documents);

}  // namespace tbt
