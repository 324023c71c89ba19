#include "lib/grammar/schema/schema_parts.hpp"

#include <string>

namespace tbt {

namespace {

const char* const maps_of_schemas[] = {"properties",  "patternProperties", "$defs",
                                       "definitions", "dependentSchemas",  "dependencies"};
const char* const lists_of_schemas[] = {"allOf", "anyOf", "oneOf", "prefixItems", "items"};
const char* const single_schemas[] = {"items",
                                      "additionalItems",
                                      "contains",
                                      "not",
                                      "if",
                                      "then",
                                      "else",
                                      "propertyNames",
                                      "additionalProperties",
                                      "unevaluatedProperties",
                                      "unevaluatedItems",
                                      "contentSchema"};

}  // namespace

std::vector<const Json*> schema_parts(const Json& schema, bool with_definitions) {
    std::vector<const Json*> parts;
    if (!schema.is_object()) return parts;
    for (const char* key : maps_of_schemas) {
        const bool definitions = key == std::string("$defs") || key == std::string("definitions");
        if ((definitions && !with_definitions) || !schema.contains(key)) continue;
        if (!schema.at(key).is_object()) continue;
        for (const auto& [name, part] : schema.at(key).items()) parts.push_back(&part);
    }
    for (const char* key : lists_of_schemas) {
        if (!schema.contains(key) || !schema.at(key).is_array()) continue;
        for (const Json& part : schema.at(key)) parts.push_back(&part);
    }
    for (const char* key : single_schemas)
        if (schema.contains(key)) parts.push_back(&schema.at(key));
    return parts;
}

}  // namespace tbt
