#include "lib/grammar/schema/schema_document.hpp"

#include <algorithm>
#include <cstdio>

#include "lib/core/index.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/schema/metaschemas.hpp"
#include "lib/grammar/schema/schema_keywords.hpp"
#include "lib/grammar/schema/schema_parts.hpp"
#include "lib/grammar/schema/uri.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// ~1 is / and ~0 is ~ in a JSON pointer [RFC 6901].
std::string without_tildes(const std::string& token) {
    std::string text;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const bool tilde =
            token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
        text += tilde ? (token[++i] == '0' ? '~' : '/') : token[i];
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

constexpr int deepest = 1000;  // levels of a schema

bool is_text(const Json& schema, const char* key) {
    return schema.contains(key) && schema.at(key).is_string();
}

}  // namespace

SchemaDocument::SchemaDocument(const std::string& text, const std::string& name,
                               const SchemaOptions& options)
    : name_(name), options_(options), dynamic_(*this) {
    if (const std::string number = inexact_number(text); !number.empty())
        throw UnsupportedSchema(shown(number), name + ": #",
                                "has more digits than a double holds; use at most 15");
    try {
        root_ = parse_json(text, name, deepest);
        order_.add(text, root_);
    } catch (const UsageError&) {
        throw;
    } catch (const Error& e) {
        throw UsageError(e.what());
    }
    resources_.push_back({&root_, "", draft_named(root_, options.draft)});
    by_uri_[""] = 0;
    resource_[&root_] = 0;
    index(root_, 0, 0);
}

int SchemaDocument::draft_named(const Json& schema, int otherwise) const {
    if (!schema.is_object() || !schema.contains("$schema")) return otherwise;
    static const std::map<std::string, int> drafts = {
        {"json-schema.org/schema", 0},
        {"json-schema.org/draft-04/schema", 4},
        {"json-schema.org/draft-06/schema", 6},
        {"json-schema.org/draft-07/schema", 7},
        {"json-schema.org/draft/2019-09/schema", 2019},
        {"json-schema.org/draft/2020-12/schema", 2020}};
    std::string uri = is_text(schema, "$schema") ? schema.at("$schema").get<std::string>() : "";
    if (!uri.empty() && uri.back() == '#') uri.pop_back();
    for (const char* scheme : {"http://", "https://"}) {
        if (uri.rfind(scheme, 0) == 0) uri.erase(0, std::string(scheme).size());
    }
    const auto found = drafts.find(uri);
    if (found == drafts.end())
        unsupported(schema, "$schema",
                    "names an unknown dialect, expected draft 4, 6, 7, 2019-09 or 2020-12");
    return found->second;
}

// Finds identifiers and anchors in all places where a schema may be. Values of enum or of an
// unknown keyword are not schemas.
void SchemaDocument::index(const Json& schema, int resource, int depth) {
    if (!schema.is_object()) return;
    const int outer_draft = resources_[static_cast<std::size_t>(resource)].draft;
    const int draft = depth == 0 ? outer_draft : draft_named(schema, outer_draft);
    const char* const id_key = draft == 4 ? "id" : "$id";
    const bool old = draft != 0 && draft <= 7;
    if (is_text(schema, id_key) && !(old && schema.contains("$ref"))) {
        const Uri id = Uri::parse(schema.at(id_key).get<std::string>());
        const std::string uri =
            resolve_uri(Uri::parse(resources_[static_cast<std::size_t>(resource)].uri), id).text();
        const bool only_fragment = id.text().empty() && id.has_fragment;
        if (depth == 0) resources_[tbt::index(resource)].uri = uri, by_uri_.emplace(uri, resource);
        if (depth > 0 && !only_fragment) {
            resources_.push_back({&schema, uri, draft});
            resource = count(resources_) - 1;
            by_uri_.emplace(uri, resource);
        }
        if (old && !id.fragment.empty())
            anchors_.emplace(std::pair(resource, id.fragment), &schema);
    }
    resource_[&schema] = resource;
    unevaluated_ = unevaluated_ || schema.contains("unevaluatedProperties") ||
                   schema.contains("unevaluatedItems");
    for (const char* key : {"$anchor", "$dynamicAnchor"}) {
        if (is_text(schema, key))
            anchors_.emplace(std::pair(resource, schema.at(key).get<std::string>()), &schema);
    }
    dynamic_.add(schema, resource);
    for (const Json* part : schema_parts(schema, true)) index(*part, resource, depth + 1);
}

int SchemaDocument::resource_of(const Json& schema) const {
    const auto found = resource_.find(&schema);
    return found == resource_.end() ? 0 : found->second;
}

int SchemaDocument::draft_of(const Json& schema) const {
    return resources_[static_cast<std::size_t>(resource_of(schema))].draft;
}

bool SchemaDocument::ignores_siblings(const Json& schema) const {
    const int draft = draft_of(schema);
    return draft != 0 && draft <= 7 && is_text(schema, "$ref");
}

const Json* SchemaDocument::prefix_of(const Json& schema) const {
    if (schema.contains("prefixItems")) return &schema.at("prefixItems");
    return schema.contains("items") && schema.at("items").is_array() ? &schema.at("items")
                                                                     : nullptr;
}

const Json* SchemaDocument::rest_of(const Json& schema) const {
    if (!schema.contains("items")) return nullptr;
    if (!schema.at("items").is_array()) return &schema.at("items");
    return schema.contains("additionalItems") ? &schema.at("additionalItems") : nullptr;
}

Json SchemaDocument::at(const Json& schema) {
    if (schema.is_boolean()) return schema;
    held_.push_back(&schema);
    return {{"$at", held_.size() - 1}};
}

std::string SchemaDocument::path_of(const Json& schema) const {
    std::string path = "#";
    if (search(root_, schema, path)) return path;
    for (const Json& beside : beside_) {
        path = resources_[tbt::index(resource_of(beside))].uri + "#";
        if (search(beside, schema, path)) return path;
    }
    return "(a schema combined from several)";
}

void SchemaDocument::unsupported(const Json& schema, const std::string& keyword,
                                 const std::string& why) const {
    throw UnsupportedSchema(keyword, name_ + ": " + path_of(schema), why);
}
void SchemaDocument::wrong(const Json& schema, const std::string& what) const {
    throw UsageError(name_ + ": " + path_of(schema) + ": " + what);
}

void SchemaDocument::too_large(const Json& schema, const std::exception& e) const {
    for (const char* keyword :
         {"pattern", "patternProperties", "propertyNames", "format", "maxLength", "minLength",
          "multipleOf", "enum", "const", "oneOf", "anyOf", "allOf", "not", "if", "properties"}) {
        if (schema.is_object() && schema.contains(keyword))
            unsupported(schema, keyword, std::string("cannot be enforced: ") + e.what());
    }
    unsupported(schema, "type", std::string("cannot be enforced: ") + e.what());
}

void SchemaDocument::remark(const Json& schema, const std::string& keyword, const std::string& name,
                            const std::string& why) {
    tell(schema, keyword, name, why, why + "; it is treated as an annotation");
}

void SchemaDocument::tell(const Json& schema, const std::string& keyword, const std::string& name,
                          const std::string& refusal, const std::string& said) {
    if (options_.strict) unsupported(schema, keyword, refusal);
    if (!remarked_.insert(keyword + " " + name).second) return;
    const std::string line =
        name_ + ": " + path_of(schema) + ": '" + keyword + "' " + said + " (--strict refuses it)";
    if (options_.warn) options_.warn(line);
    else std::fprintf(stderr, "%s\n", line.c_str());
}

void SchemaDocument::check(const Json& schema) {
    const bool made_here = resource_.count(&schema) == 0;
    if (!made_here && checked_.insert(&schema).second) check_keywords(*this, schema);
}

std::vector<const Json*> SchemaDocument::references(const Json& schema) {
    std::vector<const Json*> targets;
    if (schema.contains("$at") && resource_.count(&schema) == 0)
        targets.push_back(held_[schema.at("$at").get<std::size_t>()]);
    if (schema.contains("$ref")) targets.push_back(&follow(schema, "$ref"));
    if (ignores_siblings(schema)) return targets;
    if (schema.contains("$dynamicRef")) targets.push_back(&dynamic_.follow(schema));
    if (schema.contains("$recursiveRef")) targets.push_back(&dynamic_.follow_recursive(schema));
    return targets;
}

const Json& SchemaDocument::follow(const Json& schema, const char* keyword, std::string* anchor) {
    const std::string reference = schema.at(keyword).get<std::string>();
    const Uri base = Uri::parse(resources_[static_cast<std::size_t>(resource_of(schema))].uri);
    const Uri target = resolve_uri(base, Uri::parse(reference));
    auto resource = by_uri_.find(target.text());
    if (resource == by_uri_.end()) {
        put_beside(metaschemas_beside(target.text()));
        resource = by_uri_.find(target.text());
    }
    if (resource == by_uri_.end())
        unsupported(
            schema, keyword,
            "refers to \"" + shown(reference) + "\", outside this document; copy it into $defs");
    const Json& root = *resources_[static_cast<std::size_t>(resource->second)].root;
    const std::string fragment = without_percents(target.fragment);
    if (fragment.empty() || fragment[0] == '/') return walk(schema, keyword, root, fragment);
    const auto found = anchors_.find({resource->second, fragment});
    if (found == anchors_.end())
        wrong(schema, "there is no '$anchor' \"" + shown(fragment) + "\" for '" + keyword + "'");
    if (anchor != nullptr) *anchor = fragment;
    return *found->second;
}

// All files of a draft at once: dynamic references lead from one to another.
void SchemaDocument::put_beside(const std::vector<std::string_view>& texts) {
    for (const std::string_view text : texts) {
        const Json& schema = beside_.emplace_back(parse_json(text, "a schema of a draft"));
        order_.add(text, schema);
        resources_.push_back({&schema, "", draft_named(schema, 0)});
        const int resource = count(resources_) - 1;
        index(schema, resource, 0);
        // Many write https: where the older drafts say http:, or the other way.
        std::string uri = resources_.back().uri;
        uri.erase(0, uri.find(':'));
        for (const char* scheme : {"http", "https"}) by_uri_.emplace(scheme + uri, resource);
    }
}

const Json& SchemaDocument::walk(const Json& schema, const char* keyword, const Json& from,
                                 std::string pointer) {
    const std::string whole = pointer;
    const Json* at = &from;
    int resource = resource_of(from);
    while (!pointer.empty()) {
        const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
        const std::string token = without_tildes(pointer.substr(1, end - 1));
        pointer.erase(0, end);
        const bool index = at->is_array() && !token.empty() && token.size() < 9 &&
                           token.find_first_not_of("0123456789") == std::string::npos;
        if (at->is_object() && at->contains(token)) {
            at = &at->at(token);
        } else if (index && std::stoul(token) < at->size()) {
            at = &at->at(std::stoul(token));
        } else {
            wrong(schema, std::string("'") + keyword + "' \"#" + shown(whole) +
                              "\" refers to nothing: there is no \"" + shown(token) + "\" in " +
                              path_of(*at));
        }
        if (const auto known = resource_.find(at); known != resource_.end())
            resource = known->second;
    }
    // The target may be in a place that no keyword marks as a schema: then it becomes one now, in
    // the resource around it.
    if (at->is_object() && resource_.count(at) == 0) index(*at, resource, 1);
    return *at;
}

}  // namespace tbt
