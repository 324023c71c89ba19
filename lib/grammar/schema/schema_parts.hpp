// Where in a schema further schemas stand.
#pragma once

#include <vector>

#include "lib/machine/json_file.hpp"

namespace tbt {

// The schemas that stand in this one; without definitions: that are asked about the same value
// or its parts.
std::vector<const Json*> schema_parts(const Json& schema, bool with_definitions);

}  // namespace tbt
