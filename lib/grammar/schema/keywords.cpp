#include "lib/grammar/schema/keywords.hpp"
#include "lib/core/unicode.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lib/grammar/schema/document.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "lib/machine/edit_distance.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// Keywords that describe the schema and do not restrict values.
const std::set<std::string> annotations = {
    "title",           "description",      "default",          "examples",   "deprecated",
    "readOnly",        "writeOnly",        "$comment",         "$schema",    "$id",
    "$anchor",         "$dynamicAnchor",   "$recursiveAnchor", "$defs",      "definitions",
    "contentEncoding", "contentMediaType", "contentSchema",    "$vocabulary"};

// Drafts 4 and 6 have no conditions, only OpenAPI has `nullable`. Elsewhere, these may have any
// value.
bool is_known(const SchemaDocument& document, const Json& schema, const std::string& key) {
    if (key == "nullable") return document.knows_nullable();
    const bool condition = key == "if" || key == "then" || key == "else";
    return !condition || document.knows_conditions(schema);
}

bool is_schema(const Json& v) { return v.is_object() || v.is_boolean(); }
bool all_schemas(const Json& v) { return std::all_of(v.begin(), v.end(), is_schema); }
bool is_schema_list(const Json& v) { return v.is_array() && !v.empty() && all_schemas(v); }
bool is_schema_map(const Json& v) { return v.is_object() && all_schemas(v); }
bool is_name_list(const Json& v) {
    return v.is_array() &&
           std::all_of(v.begin(), v.end(), [](const Json& s) { return s.is_string(); });
}
bool is_name_lists(const Json& v) {
    return v.is_object() && std::all_of(v.begin(), v.end(), is_name_list);
}
bool is_dependencies(const Json& v) {
    return v.is_object() && std::all_of(v.begin(), v.end(), [](const Json& d) {
               return is_schema(d) || is_name_list(d);
           });
}
bool is_list(const Json& v) { return v.is_array(); }
bool is_any(const Json&) { return true; }
bool is_text(const Json& v) { return v.is_string(); }
bool is_number(const Json& v) { return v.is_number(); }
bool is_switch(const Json& v) { return v.is_boolean(); }
bool is_bound(const Json& v) {
    return v.is_number() || v.is_boolean();
}  // draft 4: "exclusiveMinimum": true
bool is_count(const Json& v) {
    return v.is_number() && v.get<double>() >= 0 && v.get<double>() == std::floor(v.get<double>());
}
bool is_step(const Json& v) { return v.is_number() && v.get<double>() > 0; }
bool is_items(const Json& v) { return is_schema(v) || (v.is_array() && all_schemas(v)); }
bool is_type(const Json& t) {
    static const std::set<std::string> types = {"null",   "boolean", "integer", "number",
                                                "string", "array",   "object"};
    return t.is_string() && types.count(t.get<std::string>()) != 0;
}
bool is_types(const Json& t) {
    return is_type(t) || (t.is_array() && !t.empty() && std::all_of(t.begin(), t.end(), is_type));
}

// What the values of keywords must be. annotation: the keywords do not restrict the instance.
struct Form {
    bool (*test)(const Json&);
    const char* expected;
    std::vector<const char*> keywords;
    bool annotation = false;
};
const std::vector<Form> forms = {
    {is_schema,
     "a schema: an object, true or false",
     {"additionalProperties", "propertyNames", "unevaluatedProperties", "additionalItems",
      "contains", "unevaluatedItems", "not", "if", "then", "else"}},
    {is_schema_list, "a list of at least one schema", {"anyOf", "oneOf", "allOf", "prefixItems"}},
    {is_items, "one schema, or in old drafts a list of them", {"items"}},
    {is_schema_map,
     "an object whose values are schemas",
     {"properties", "patternProperties", "dependentSchemas"}},
    {is_name_list, "a list of names", {"required"}},
    {is_name_lists, "an object whose values are lists of names", {"dependentRequired"}},
    {is_dependencies, "an object whose values are schemas or lists of names", {"dependencies"}},
    {is_list, "a list of values", {"enum"}},
    {is_any, "a value", {"const"}},
    {is_number, "a number", {"minimum", "maximum"}},
    {is_bound, "a number", {"exclusiveMinimum", "exclusiveMaximum"}},
    {is_step, "a number greater than 0", {"multipleOf"}},
    {is_count,
     "a whole number from 0",
     {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
      "minContains", "maxContains"}},
    {is_text, "a string", {"pattern", "format", "$ref", "$dynamicRef", "$recursiveRef"}},
    {is_text, "a string", {"$anchor", "$dynamicAnchor"}, true},
    {is_switch, "true or false", {"uniqueItems", "nullable"}},
    {is_types,
     "one of null, boolean, integer, number, string, array, object, or a list of them",
     {"type"}},
};

const std::set<std::string>& enforced_keywords() {
    static const std::set<std::string> all = [] {
        std::set<std::string> made;
        for (const Form& form : forms)
            if (!form.annotation) made.insert(form.keywords.begin(), form.keywords.end());
        return made;
    }();
    return all;
}

void check_name(SchemaDocument& document, const Json& schema, const std::string& key) {
    if (!is_known(document, schema, key))
        return document.remark(schema, key, "",
                               key == "nullable"
                                   ? "is a keyword of OpenAPI only: --nullable adds null to 'type'"
                                   : "is not a keyword of this draft");
    const std::set<std::string>& enforced = enforced_keywords();
    if (enforced.count(key) != 0 || annotations.count(key) != 0 || key.rfind("x-", 0) == 0) return;
    if ((key == "id" && document.draft_of(schema) == 4) || document.remarked(key)) return;
    const auto near =
        std::min_element(enforced.begin(), enforced.end(), [&](const auto& a, const auto& b) {
            return edit_distance(key, a) < edit_distance(key, b);
        });
    document.remark(
        schema, key, "",
        "is not a known keyword" +
            (edit_distance(key, *near) <= 2 ? " (did you mean '" + *near + "'?)" : std::string()));
}

void check_format(SchemaDocument& document, const Json& schema) {
    const std::string format = schema.at("format").get<std::string>();
    if (format_language(format, false) || number_format(format) != nullptr) return;
    document.remark(schema, "format", format,
                    "\"" + shown(format) +
                        "\" is not a format that can be enforced (these can: int8 to int64, uint8 "
                        "to uint64, float, double, " +
                        format_names() + ")");
}

}  // namespace

std::vector<const Json*> schema_parts(const Json& schema) {
    std::vector<const Json*> parts;
    const auto add_all = [&](const Json& values) {
        for (const Json& part : values) parts.push_back(&part);
    };
    for (const char* key : {"properties", "patternProperties", "$defs", "definitions",
                            "dependentSchemas", "dependencies"})
        if (schema.contains(key) && schema.at(key).is_object()) add_all(schema.at(key));
    for (const char* key :
         {"allOf", "anyOf", "oneOf", "prefixItems", "items", "additionalItems", "contains", "not",
          "if", "then", "else", "propertyNames", "additionalProperties", "unevaluatedProperties",
          "unevaluatedItems", "contentSchema"}) {
        if (!schema.contains(key)) continue;
        if (schema.at(key).is_array()) add_all(schema.at(key));
        else parts.push_back(&schema.at(key));
    }
    return parts;
}

bool restricts(const std::string& keyword) { return enforced_keywords().count(keyword) != 0; }

void check_keywords(SchemaDocument& document, const Json& schema) {
    if (schema.is_boolean()) return;
    if (!schema.is_object())
        document.wrong(schema, "a schema is an object, true or false; this is " + kind_of(schema));
    const bool old = document.ignores_siblings(schema);
    for (const auto& [key, value] : schema.items()) {
        if (!old || key == "$ref") check_name(document, schema, key);
    }
    for (const Form& form : forms) {
        for (const char* key : form.keywords) {
            if (!schema.contains(key) || form.test(schema.at(key))) continue;
            if (!is_known(document, schema, key)) continue;
            document.wrong(schema, std::string("'") + key + "' is " + kind_of(schema.at(key)) +
                                       ", expected " + form.expected);
        }
    }
    if (document.has_format(schema)) check_format(document, schema);
    const int draft = document.draft_of(schema);
    if (schema.contains("items") && schema.at("items").is_array() &&
        (draft == 2020 || schema.contains("prefixItems")))
        document.wrong(schema,
                       "'items' is a list, expected one schema (a list of them is 'prefixItems')");
    for (const char* key : {"exclusiveMinimum", "exclusiveMaximum"}) {
        if (schema.contains(key) && schema.at(key).is_boolean() && draft != 0 && draft != 4)
            document.wrong(schema, std::string("'") + key +
                                       "' is true or false as in draft 4, expected a number");
    }
}

long long count_of(const Json& schema, const char* keyword, long long otherwise) {
    if (!schema.contains(keyword)) return otherwise;
    const double number = schema.at(keyword).get<double>();
    return number > 1e9 ? 1'000'000'000 : static_cast<long long>(number);
}

bool type_allows(const SchemaDocument& document, const Json& schema, const std::string& type) {
    if (!schema.is_object() || !schema.contains("type")) return true;
    if (type == "null" && document.knows_nullable() && schema.contains("nullable") &&
        schema.at("nullable") == Json(true))
        return true;
    const Json& t = schema.at("type");
    return t.is_string() ? t == type : std::find(t.begin(), t.end(), type) != t.end();
}

// The values that enum and const allow: those of one keyword, or those in both.
std::vector<const Json*> listed_values(const Json& schema, bool& restricted) {
    std::vector<const Json*> values;
    restricted = schema.is_object() && (schema.contains("enum") || schema.contains("const"));
    if (!restricted) return values;
    if (!schema.contains("enum")) return {&schema.at("const")};
    for (const Json& v : schema.at("enum")) {
        if (!schema.contains("const") || schema.at("const") == v) values.push_back(&v);
    }
    return values;
}

}  // namespace tbt
