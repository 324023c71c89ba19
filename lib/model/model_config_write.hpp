// The configuration of a model as transformers writes it.
#pragma once

#include <string>

#include "lib/model/model_config.hpp"

namespace tbt {

// Writes DIRECTORY/config.json and generation_config.json, each atomically. Throws Error where
// check_config() does.
void write_model_config(const std::string& directory, const TransformerConfig& config);

}  // namespace tbt
