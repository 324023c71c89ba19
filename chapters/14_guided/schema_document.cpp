#include "chapters/14_guided/schema_document.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "terminal.hpp"

namespace tbt {

namespace {

const std::set<std::string> enforced = {"type",
                                        "properties",
                                        "required",
                                        "additionalProperties",
                                        "enum",
                                        "const",
                                        "items",
                                        "prefixItems",
                                        "minItems",
                                        "maxItems",
                                        "uniqueItems",
                                        "minLength",
                                        "maxLength",
                                        "pattern",
                                        "minimum",
                                        "maximum",
                                        "exclusiveMinimum",
                                        "exclusiveMaximum",
                                        "multipleOf",
                                        "anyOf",
                                        "oneOf",
                                        "allOf",
                                        "not",
                                        "if",
                                        "then",
                                        "else",
                                        "dependentRequired",
                                        "dependentSchemas",
                                        "$ref",
                                        "format"};
// These say something about a schema, not about values.
const std::set<std::string> annotations = {
    "title",       "description",     "default",          "examples",     "deprecated", "readOnly",
    "writeOnly",   "$comment",        "$schema",          "$id",          "$anchor",    "$defs",
    "definitions", "contentEncoding", "contentMediaType", "contentSchema"};
// Keywords of the standard that a left-to-right machine of moderate size cannot enforce, or that nobody has
// written yet.
const std::set<std::string> refused = {
    "patternProperties",     "propertyNames",    "minProperties",    "maxProperties",
    "dependencies",          "contains",         "minContains",      "maxContains",
    "unevaluatedProperties", "unevaluatedItems", "additionalItems",  "$dynamicRef",
    "$dynamicAnchor",        "$recursiveRef",    "$recursiveAnchor", "$vocabulary"};

int distance(const std::string& a, const std::string& b) {
    std::vector<int> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        int diagonal = row[0];
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row[b.size()];
}

std::string unescaped(const std::string& token) {
    std::string percent, text;
    for (std::size_t i = 0; i < token.size(); ++i) {
        if (token[i] == '%' && i + 2 < token.size() && std::isxdigit(static_cast<unsigned char>(token[i + 1])) &&
            std::isxdigit(static_cast<unsigned char>(token[i + 2]))) {
            percent += static_cast<char>(std::stoi(token.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            percent += token[i];
        }
    }
    for (std::size_t i = 0; i < percent.size(); ++i) {
        const bool tilde = percent[i] == '~' && i + 1 < percent.size() &&
                           (percent[i + 1] == '0' || percent[i + 1] == '1');
        text += tilde ? (percent[++i] == '0' ? '~' : '/') : percent[i];
    }
    return text;
}

bool search(const Json& at, const Json& wanted, std::string& path) {
    if (&at == &wanted) return true;
    if (!at.is_structured()) return false;
    const std::size_t before = path.size();
    std::size_t index = 0;
    for (const auto& [key, value] : at.items()) {
        path += "/" + (at.is_array() ? std::to_string(index++) : key);
        if (search(value, wanted, path)) return true;
        path.resize(before);
    }
    return false;
}

}  // namespace

SchemaDocument::SchemaDocument(const std::string& text, const std::string& name) : name_(name) {
    try {
        root_ = parse_json(text, name);
    } catch (const UsageError&) {
        throw;
    } catch (const Error& e) {
        throw UsageError(e.what());
    }
}

std::string SchemaDocument::path_of(const Json& schema) const {
    std::string path = "#";
    return search(root_, schema, path) ? path : "(a schema made from others)";
}

void SchemaDocument::unsupported(const Json& schema, const std::string& keyword, const std::string& why) const {
    throw UnsupportedSchema(keyword, path_of(schema), why);
}
void SchemaDocument::wrong(const Json& schema, const std::string& what) const {
    throw UsageError(name_ + ": " + path_of(schema) + ": " + what);
}

void SchemaDocument::check(const Json& schema) {
    if (!checked_.insert(&schema).second) return;
    if (schema.is_boolean()) return;
    if (!schema.is_object()) wrong(schema, "a schema is an object, true or false; this is " + kind_of(schema));
    for (const auto& [key, value] : schema.items()) {
        if (enforced.count(key) != 0 || key.rfind("x-", 0) == 0) continue;
        if (annotations.count(key) != 0) {
            const bool standard =
                key != "$schema" ||
                (value.is_string() && value.get<std::string>().find("json-schema.org/") != std::string::npos);
            if (!standard)
                unsupported(schema, key, "names a vocabulary of its own; only those of json-schema.org are known");
            if (key == "$id" && &schema != &root_)
                unsupported(schema, key, "inside a schema changes what references mean, which is not supported");
            continue;
        }
        if (refused.count(key) != 0)
            unsupported(schema, key, "cannot be enforced; leave it out, or say it with other keywords");
        const auto near =
            std::min_element(enforced.begin(), enforced.end(),
                             [&k = key](const auto& a, const auto& b) { return distance(k, a) < distance(k, b); });
        unsupported(schema, key,
                    "is not a known keyword" + (distance(key, *near) <= 2
                                                    ? "; did you mean '" + *near + "'?"
                                                    : std::string("; begin its name with x- to have it ignored")));
    }
    const auto kind = [&](const char* key, bool ok, const char* expected) {
        if (schema.contains(key) && !ok)
            wrong(schema, std::string("'") + key + "' is " + kind_of(schema.at(key)) + ", expected " + expected);
    };
    const auto is = [&](const char* key, auto test) { return !schema.contains(key) || test(schema.at(key)); };
    const auto object = [](const Json& v) { return v.is_object(); };
    const auto schemas = [](const Json& v) { return v.is_array() && !v.empty(); };
    const auto number = [](const Json& v) { return v.is_number(); };
    const auto text = [](const Json& v) { return v.is_string(); };
    for (const char* key : {"properties", "dependentRequired", "dependentSchemas"})
        kind(key, is(key, object), "an object");
    kind("required",
         is("required",
            [](const Json& v) {
                return v.is_array() &&
                       std::all_of(v.begin(), v.end(), [](const Json& s) { return s.is_string(); });
            }),
         "a list of names");
    kind("enum", is("enum", [](const Json& v) { return v.is_array(); }), "a list of values");
    for (const char* key : {"anyOf", "oneOf", "allOf", "prefixItems"})
        kind(key, is(key, schemas), "a list of schemas");
    for (const char* key : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
        kind(key, is(key, number), "a number");
    for (const char* key : {"pattern", "format", "$ref", "$anchor"}) kind(key, is(key, text), "a string");
    kind("uniqueItems", is("uniqueItems", [](const Json& v) { return v.is_boolean(); }), "true or false");
    kind("items", is("items", [](const Json& v) { return !v.is_array(); }),
         "one schema (a list of them is 'prefixItems')");
    if (schema.contains("multipleOf") && !(schema.at("multipleOf").get<double>() > 0))
        wrong(schema, "'multipleOf' must be greater than 0");
    if (schema.contains("type")) {
        static const std::set<std::string> types = {"null",   "boolean", "integer", "number",
                                                    "string", "array",   "object"};
        const Json& type = schema.at("type");
        const auto known = [](const Json& t) { return t.is_string() && types.count(t.get<std::string>()) != 0; };
        if (!(known(type) || (type.is_array() && !type.empty() && std::all_of(type.begin(), type.end(), known)))) {
            wrong(
                schema,
                "'type' is " + shown(type.dump()) +
                    ", expected one of null, boolean, integer, number, string, array, object, or a list of them");
        }
    }
}

const Json& SchemaDocument::resolve(const Json& schema) {
    const std::string reference = schema.at("$ref").get<std::string>();
    std::string fragment = reference;
    if (root_.is_object() && root_.contains("$id") && root_["$id"].is_string()) {  // the document by its own name
        std::string id = root_["$id"].get<std::string>();
        if (!id.empty() && id.back() == '#') id.pop_back();
        if (!id.empty() && fragment.rfind(id, 0) == 0 &&
            (fragment.size() == id.size() || fragment[id.size()] == '#'))
            fragment.erase(0, id.size());
    }
    if (!fragment.empty() && fragment[0] != '#')
        unsupported(schema, "$ref",
                    "leads to \"" + shown(reference) + "\", outside this document; copy it into $defs");
    fragment.erase(0, 1);
    const Json* at = &root_;
    if (!fragment.empty() && fragment[0] != '/') {
        at = find_anchor(root_, unescaped(fragment));
        if (at == nullptr) wrong(schema, "there is no '$anchor' \"" + shown(fragment) + "\" for '$ref'");
        return *at;
    }
    while (!fragment.empty()) {
        const std::size_t end = std::min(fragment.find('/', 1), fragment.size());
        const std::string token = unescaped(fragment.substr(1, end - 1));
        fragment.erase(0, end);
        const bool index = at->is_array() && !token.empty() && token.size() < 9 &&
                           token.find_first_not_of("0123456789") == std::string::npos;
        if (at->is_object() && at->contains(token)) {
            at = &at->at(token);
        } else if (index && std::stoul(token) < at->size()) {
            at = &at->at(std::stoul(token));
        } else {
            wrong(schema, "'$ref' \"" + shown(reference) + "\" leads nowhere: there is no \"" + shown(token) +
                              "\" in " + path_of(*at));
        }
        // A schema resource inside the document has a base of its own.
        if (at->is_object() && at->contains("$id") && at != &root_)
            unsupported(*at, "$id", "inside a schema changes what references mean, which is not supported");
    }
    return *at;
}

const Json* SchemaDocument::find_anchor(const Json& at, const std::string& anchor) const {
    if (at.is_object() && at.contains("$anchor") && at["$anchor"] == anchor) return &at;
    if (!at.is_structured()) return nullptr;
    for (const auto& [key, value] : at.items()) {
        if (at.is_object() && (key == "enum" || key == "const")) continue;
        if (const Json* found = find_anchor(value, anchor)) return found;
    }
    return nullptr;
}

long long count_of(SchemaDocument& document, const Json& schema, const char* keyword, long long otherwise) {
    if (!schema.contains(keyword)) return otherwise;
    const Json& value = schema.at(keyword);
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0) || number != std::floor(number))
        document.wrong(schema, std::string("'") + keyword + "' is " + shown(value.dump()) +
                                   ", expected a whole number from 0");
    return number > 1e9 ? 1'000'000'000 : static_cast<long long>(number);
}

}  // namespace tbt
