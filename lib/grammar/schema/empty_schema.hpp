// Explains why no value meets a schema: which keyword, and where, asks for something impossible.
#pragma once

#include <functional>

#include "lib/grammar/schema/schema_shapes.hpp"

namespace tbt {

// demands: schemas that no value meets together. Follows what they require, down to a value that is
// impossible or that requires a value like itself without end, and throws UsageError with its
// place. is_empty(demands): does no value meet these demands?
[[noreturn]] void refuse_empty_schema(SchemaDocument& document, ShapeRules& shapes,
                                      const std::function<bool(const Conjunction&)>& is_empty,
                                      Conjunction demands);

}  // namespace tbt
