// Checks that a JSON value is a schema whose keywords are known.
#pragma once

#include "lib/grammar/schema/schema_document.hpp"

namespace tbt {

// Throws unless the schema is an object, true or false, and its keywords have values of the right
// kind. Unknown keywords and formats are reported as remarks, or refused if options.strict.
void check_keywords(SchemaDocument& document, const Json& schema);

}  // namespace tbt
