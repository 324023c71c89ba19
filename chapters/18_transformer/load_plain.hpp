// Loads a PlainGpt from a model directory.
#pragma once

#include <string>

#include "chapters/18_transformer/plain_gpt.hpp"

namespace tbt {

// Reads config.json and the weights, converted to floats. Throws Error with the file.
PlainGpt load_plain_gpt(const std::string& directory);

}  // namespace tbt
