// The configuration of a model in a GGUF file. The file's values are translated to the config.json
// that the hub has for the same model and then read like one, so the same checks apply to both.
#pragma once

#include "lib/model/gguf_file.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// Throws Error with the key if a size is missing or impossible, and with the name of the
// architecture or variant if this library does not support it.
TransformerConfig gguf_config(const GgufFile& file);

}  // namespace tbt
