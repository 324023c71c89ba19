// Explains a path that is not a model: for each of the usual mistakes, one line that says what to
// do.
#pragma once

#include <string>

namespace tbt {

// A model is a directory with config.json, or a GGUF file. Throws Error if the path does not exist,
// if the directory has no config.json, or if it is a file that has only weights.
void check_model_path(const std::string& path);

}  // namespace tbt
