// The keywords of a schema: which there are, what their values must be, and what some of them say.
#pragma once

#include <string>
#include <vector>

#include "lib/json/json.hpp"

namespace tbt {

class SchemaDocument;

// Throws unless the schema is an object, true or false, and its keywords have values of the right
// kind. Unknown keywords and formats are reported as remarks, or refused if options.strict.
void check_keywords(SchemaDocument& document, const Json& schema);

// Does the keyword restrict values, unlike `default` and other annotations?
bool restricts(const std::string& keyword);

// All direct subschemas, with those in definitions.
std::vector<const Json*> schema_parts(const Json& schema);

// The value of a keyword such as minItems, at most 10^9; `otherwise` if the schema lacks it.
long long count_of(const Json& schema, const char* keyword, long long otherwise);
// Does the schema's keyword `type` allow this type?
bool type_allows(const SchemaDocument& document, const Json& schema, const std::string& type);
// The values that enum and const allow: those of one keyword, or those in both. restricted: does it
// have either?
std::vector<const Json*> listed_values(const Json& schema, bool& restricted);

}  // namespace tbt
