// Validation of a finished model, read from its directory.
#pragma once

#include <filesystem>
#include <string>

#include "chapters/19_training/validation.hpp"

namespace tbt {

// The table of bits per byte. Throws Error for a directory that is no model.
std::string evaluate_directory(const DocumentSource& source, const std::filesystem::path& directory,
                               int threads, std::int64_t documents);

}  // namespace tbt
