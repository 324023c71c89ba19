// Finds the subschemas of a schema.
#pragma once

#include <vector>

#include "lib/machine/json_file.hpp"

namespace tbt {

// The direct subschemas. Without definitions: only those that are applied to the same value or to
// its parts.
std::vector<const Json*> schema_parts(const Json& schema, bool with_definitions);

}  // namespace tbt
