// Validation of a finished model, read from its directory.
#pragma once

#include <filesystem>
#include <string>

#include "chapters/19_training/validation.hpp"
#include "lib/model/model.hpp"

namespace tbt {

struct Evaluation {
    std::vector<GenreResult> genres;
    GenreResult total;
};

// On the documents that training validates on: the first so many of each genre that are held out.
Evaluation evaluate_model(const DocumentSource& source, Model& model, std::int64_t documents);

// The table of bits per byte. Throws Error for a directory that is no model.
std::string evaluate_directory(const DocumentSource& source, const std::filesystem::path& directory,
                               int threads, std::int64_t documents);

}  // namespace tbt
