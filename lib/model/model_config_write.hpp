// Writes the configuration of a model in the format of the transformers library.
#pragma once

#include <string>

#include "lib/model/model_config.hpp"

namespace tbt {

// Writes DIRECTORY/config.json and generation_config.json, each atomically. Throws the errors of
// check_config().
void write_model_config(const std::string& directory, const TransformerConfig& config);

}  // namespace tbt
