// The config.json and generation_config.json of a model, as the transformers library reads and
// writes them. Each family of models differs from Llama in a few settings and has its own defaults
// for missing keys; config_file.cpp has a table of them. The keys of transformers 4 (rope_theta,
// rope_scaling) and of transformers 5 (rope_parameters) are both read.
#pragma once

#include <string>
#include <string_view>

#include "lib/model/model_config.hpp"

namespace tbt {

// Reads DIRECTORY/config.json. If there is a DIRECTORY/generation_config.json, its bos and eos
// replace those of config.json. `directory` may also be a GGUF file (gguf_model.hpp). Throws Error,
// one line with the file and the key, if something is missing, has the wrong type, contradicts
// itself or is impossible, and, with their names, for models and variants that this library does
// not support.
TransformerConfig read_model_config(const std::string& directory);

// Reads one config.json of any name, without a generation_config.json.
TransformerConfig read_config_file(const std::string& path);

// The same for the text of such a file. `name` is what messages begin with.
TransformerConfig read_config_text(std::string_view json, const std::string& name);

// Writes DIRECTORY/config.json and generation_config.json, each atomically. Throws the errors of
// check_config().
void write_model_config(const std::string& directory, const TransformerConfig& config);

}  // namespace tbt
