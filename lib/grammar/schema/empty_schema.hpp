// Why no value meets a schema: which keyword asks for what cannot be, and where.
#pragma once

#include <functional>

#include "lib/grammar/schema/schema_shapes.hpp"

namespace tbt {

// Throws UsageError: from these demands, which nothing meets, follows what they require to a value
// that cannot be, or to one that requires itself again. is_empty: no value meets these demands.
[[noreturn]] void refuse_empty_schema(SchemaDocument& document, ShapeRules& shapes,
                                      const std::function<bool(const Demands&)>& is_empty,
                                      Demands demands);

}  // namespace tbt
