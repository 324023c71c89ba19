// The sizes in a GGUF file's values, put together as the config.json that the hub has of the same
// model: what is refused of one is refused of the other, by the same checks.
#pragma once

#include "lib/model/gguf_file.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// Throws Error, naming the key, for sizes that are missing or impossible; and, by name, for
// architectures and variants that this library doesn't compute.
TransformerConfig gguf_config(const GgufFile& file);

}  // namespace tbt
