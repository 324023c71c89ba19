// Is this a schema, and do we know every keyword in it?
#pragma once

#include "lib/grammar/schema/schema_document.hpp"

namespace tbt {

// Throws unless all keywords are known and of the right kind.
void check_keywords(SchemaDocument& document, const Json& schema);

}  // namespace tbt
