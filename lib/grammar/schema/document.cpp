#include "lib/grammar/schema/document.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/schema/keywords.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// Each part has its mark: "http:", "//host", "/path", "?query", "#fragment".
struct Uri {
    std::string scheme, authority, path, query, fragment;

    explicit Uri(std::string text) {
        const auto cut = [&](std::string& part, std::size_t at) {
            at = std::min(at, text.size());
            part = text.substr(at);
            text.resize(at);
        };
        cut(fragment, text.find('#'));
        cut(query, text.find('?'));
        const std::size_t colon = text.find(':');
        if (colon != text.npos && text.find('/') > colon &&
            std::isalpha(static_cast<unsigned char>(text[0])) != 0) {
            scheme = text.substr(0, colon + 1);
            text.erase(0, colon + 1);
        }
        cut(path, text.rfind("//", 0) == 0 ? text.find('/', 2) : 0);
        authority = text;
    }
    std::string text() const { return scheme + authority + path + query; }
};

// Removes dot segments: "a/b/../c/./d" becomes "a/c/d".
std::string without_dots(const std::string& path) {
    std::string out;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size() - 1) + 1;
        const std::string segment = path.substr(at, end - at);
        at = end;
        const std::string name = segment.substr(0, segment.find('/'));
        if (name == "..")
            out.resize(out.size() < 2 ? out.size() : out.rfind('/', out.size() - 2) + 1);
        else if (name != ".") out += segment;
    }
    return out;
}

// A reference resolved against a base [RFC 3986, §5.2].
Uri resolve_uri(const Uri& base, Uri u) {
    if (u.scheme.empty()) {
        u.scheme = base.scheme;
        if (u.authority.empty()) {
            u.authority = base.authority;
            if (u.path.empty()) {
                u.path = base.path;
                if (u.query.empty()) u.query = base.query;
            } else if (u.path[0] != '/') {
                u.path = base.path.empty() && !base.authority.empty()
                             ? "/" + u.path
                             : base.path.substr(0, base.path.rfind('/') + 1) + u.path;
            }
        }
    }
    u.path = without_dots(u.path);
    return u;
}

// Decodes percent-encoding: %2F becomes /.
std::string without_percents(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() &&
            std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0 &&
            std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0) {
            out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

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
    for (auto part = at.begin(); part != at.end(); ++part) {
        path += "/" + (at.is_array() ? std::to_string(index++) : part.key());
        if (search(*part, wanted, path)) return true;
        path.resize(before);
    }
    return false;
}

constexpr int deepest = 1000;  // levels of a schema
constexpr const char* too_many_digits = "has more digits than a double holds; use at most 15";

bool is_text(const Json& schema, const char* key) {
    return schema.contains(key) && schema.at(key).is_string();
}

}  // namespace

SchemaDocument::SchemaDocument(const std::string& text, const std::string& name,
                               const SchemaOptions& options)
    : name_(name), options_(options) {
    const std::map<int, std::string> inexact = inexact_numbers(text);
    for (const auto& [place, number] : inexact)
        if (std::isinf(std::strtod(number.c_str(), nullptr)))
            throw UnsupportedSchema(shown(number), name + ": #", too_many_digits);
    try {
        root_ = parse_json(text, name, deepest);
    } catch (const UsageError&) {
        throw;
    } catch (const Error& e) {
        throw UsageError(e.what());
    }
    int place = 0;
    note_inexact(root_, inexact, place);
    resources_.push_back({&root_, "", draft_named(root_, options.draft)});
    by_uri_[{0, ""}] = 0;
    places_[&root_] = {0, 0};
    index(root_, 0, 0);
}

void SchemaDocument::note_inexact(const Json& value, const std::map<int, std::string>& numbers,
                                  int& place) {
    if (value.is_number())
        if (const auto found = numbers.find(place++); found != numbers.end())
            inexact_.emplace(&value, found->second);
    for (const Json& part : value) note_inexact(part, numbers, place);
}

void SchemaDocument::refuse_inexact(const Json& schema, const Json& value) const {
    if (const auto found = inexact_.find(&value); found != inexact_.end())
        unsupported(schema, shown(found->second), too_many_digits);
    for (const Json& part : value) refuse_inexact(schema, part);
}

int SchemaDocument::draft_named(const Json& schema, int otherwise) const {
    if (!schema.is_object() || !schema.contains("$schema")) return otherwise;
    static const std::map<std::string, int> drafts = {
        {"json-schema.org/schema", 0},
        {"json-schema.org/draft-04/schema", 4},
        {"json-schema.org/draft-06/schema", 6},
        {"json-schema.org/draft-07/schema", 7},
        {"json-schema.org/draft/2019-09/schema", 2019},
        {"json-schema.org/draft/2020-12/schema", 2020},
        {"spec.openapis.org/oas/3.1/dialect/base", 2020}};
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
        const Uri id(schema.at(id_key).get<std::string>());
        const std::string uri =
            resolve_uri(Uri(resources_[static_cast<std::size_t>(resource)].uri), id).text();
        const bool only_fragment = id.text().empty() && !id.fragment.empty();
        if (depth == 0) resources_[0].uri = uri, by_uri_.emplace(std::pair(0, uri), 0);
        if (depth > 0 && !only_fragment) {
            resources_.push_back({&schema, uri, draft, resource});
            resource = count(resources_) - 1;
            for (int r = resource; r >= 0; r = tbt::at(resources_, r).outer)
                by_uri_.emplace(std::pair(r, uri), resource);
        }
        if (old && id.fragment.size() > 1)
            anchors_.emplace(std::pair(resource, id.fragment.substr(1)), &schema);
    }
    places_.insert_or_assign(&schema, Place{resource, count(places_)});
    unevaluated_ = unevaluated_ || schema.contains("unevaluatedProperties") ||
                   schema.contains("unevaluatedItems");
    for (const auto& [key, value] : schema.items())
        if (value.is_number() ? restricts(key) : key == "enum" || key == "const")
            refuse_inexact(schema, value);
    for (const char* key : {"$anchor", "$dynamicAnchor"}) {
        if (is_text(schema, key))
            anchors_.emplace(std::pair(resource, schema.at(key).get<std::string>()), &schema);
    }
    if (is_text(schema, "$dynamicAnchor"))
        dynamic_anchors_[schema.at("$dynamicAnchor").get<std::string>()].emplace(resource, &schema);
    if (schema.contains("$recursiveAnchor") && schema.at("$recursiveAnchor") == Json(true))
        dynamic_anchors_["$recursiveAnchor"].emplace(resource, &schema);
    for (const Json* part : schema_parts(schema)) index(*part, resource, depth + 1);
}

int SchemaDocument::resource_of(const Json& schema) const {
    const auto found = places_.find(&schema);
    return found == places_.end() ? 0 : found->second.resource;
}

int SchemaDocument::number_of(const Json& schema) const {
    const auto found = places_.find(&schema);
    return found == places_.end() ? -1 : found->second.number;
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
    const bool made_here = places_.count(&schema) == 0;
    if (!made_here && checked_.insert(&schema).second) check_keywords(*this, schema);
}

const std::vector<const Json*>& SchemaDocument::references(const Json& schema) {
    if (const auto known = references_.find(&schema); known != references_.end())
        return known->second;
    std::vector<const Json*> targets;
    if (schema.contains("$at") && places_.count(&schema) == 0)
        targets.push_back(held_[schema.at("$at").get<std::size_t>()]);
    if (schema.contains("$ref")) targets.push_back(&follow(schema, "$ref"));
    if (!ignores_siblings(schema))
        for (const char* keyword : {"$dynamicRef", "$recursiveRef"})
            if (schema.contains(keyword)) targets.push_back(&follow_dynamic(schema, keyword));
    return references_[&schema] = std::move(targets);
}

const Json& SchemaDocument::follow(const Json& schema, const char* keyword, std::string* anchor) {
    const std::string reference = schema.at(keyword).get<std::string>();
    const Uri base(resources_[static_cast<std::size_t>(resource_of(schema))].uri);
    const Uri target = resolve_uri(base, Uri(reference));
    // Of two schemas with one identifier, as two tools may have, the nearer one is meant.
    int around = resource_of(schema);
    auto resource = by_uri_.find({around, target.text()});
    while (resource == by_uri_.end() && (around = tbt::at(resources_, around).outer) >= 0)
        resource = by_uri_.find({around, target.text()});
    if (resource == by_uri_.end())
        unsupported(
            schema, keyword,
            "refers to \"" + shown(reference) + "\", outside this document; copy it into $defs");
    const Json& root = *resources_[static_cast<std::size_t>(resource->second)].root;
    const std::string fragment =
        without_percents(target.fragment.substr(target.fragment.empty() ? 0 : 1));
    if (fragment.empty() || fragment[0] == '/') return walk(schema, keyword, root, fragment);
    const auto found = anchors_.find({resource->second, fragment});
    if (found == anchors_.end())
        wrong(schema, "there is no '$anchor' \"" + shown(fragment) + "\" for '" + keyword + "'");
    if (anchor != nullptr) *anchor = fragment;
    return *found->second;
}

// A reference to a dynamic anchor leads to the outermost resource, on the path by which the schema
// was reached, that has an anchor of this name. The path begins at the root; so if the root has
// that anchor, it is the target. Otherwise the target is known only if no other resource has it.
const Json& SchemaDocument::follow_dynamic(const Json& schema, const char* keyword) {
    std::string anchor;
    const Json& target = follow(schema, keyword, &anchor);
    const bool recursive = std::string("$recursiveRef") == keyword;
    if (recursive) anchor = "$recursiveAnchor";
    const auto found = dynamic_anchors_.find(anchor);
    if (found == dynamic_anchors_.end()) return target;
    const std::map<int, const Json*>& anchors = found->second;
    if (!anchors.contains(resource_of(target)) || anchors.size() == 1) return target;
    if (const auto root = anchors.find(0); root != anchors.end()) return *root->second;
    std::string places;
    for (const auto& [resource, place] : anchors)
        places += (places.empty() ? "" : ", ") + path_of(*place);
    unsupported(schema, keyword,
                "resolves to different schemas, depending on the path of references: " + places +
                    "; give the root that " +
                    (recursive ? "'$recursiveAnchor'" : "'$dynamicAnchor' \"" + anchor + "\"") +
                    ", or use $ref");
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
        if (const auto known = places_.find(at); known != places_.end())
            resource = known->second.resource;
    }
    // The target may be in a place that no keyword marks as a schema: then it becomes one now, in
    // the resource around it.
    if (at->is_object() && places_.count(at) == 0) index(*at, resource, 1);
    return *at;
}

}  // namespace tbt
