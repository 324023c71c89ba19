// What somebody names as a model and is none: the usual mistakes, each told in one line that says
// what to do.
#pragma once

#include <string>

namespace tbt {

// A model is a directory with config.json, or a GGUF file. Throws Error where nothing of this name
// is there, where the directory has no config.json, and for a file that holds only weights.
void check_model_path(const std::string& path);

}  // namespace tbt
