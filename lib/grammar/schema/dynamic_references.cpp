#include "lib/grammar/schema/dynamic_references.hpp"

#include <utility>
#include <vector>

#include "lib/grammar/schema/schema_document.hpp"
#include "lib/grammar/schema/schema_parts.hpp"

namespace tbt {

namespace {

const char* const dynamic = "$dynamicRef";
const char* const recursive = "$recursiveRef";
const char* const recursive_anchor = "$recursiveAnchor";  // no real anchor name begins with $

}  // namespace

void DynamicReferences::add(const Json& schema, int resource) {
    if (schema.contains("$dynamicAnchor") && schema.at("$dynamicAnchor").is_string())
        anchors_[schema.at("$dynamicAnchor").get<std::string>()].emplace(resource, &schema);
    if (schema.contains(recursive_anchor) && schema.at(recursive_anchor) == Json(true))
        anchors_[recursive_anchor].emplace(resource, &schema);
}

const Json& DynamicReferences::follow(const Json& schema) { return outermost(schema, dynamic); }
const Json& DynamicReferences::follow_recursive(const Json& schema) {
    return outermost(schema, recursive);
}

DynamicReferences::Reference DynamicReferences::reference_of(const Json& schema,
                                                             const char* keyword) {
    std::string anchor;
    const Json& target = document_->follow(schema, keyword, &anchor);
    if (keyword == recursive) {
        const auto found = anchors_.find(recursive_anchor);
        const bool any =
            found != anchors_.end() && found->second.count(document_->resource_of(target)) != 0;
        return {any ? recursive_anchor : "", &target};
    }
    const bool of_that_name = !anchor.empty() && target.is_object() &&
                              target.contains("$dynamicAnchor") &&
                              target.at("$dynamicAnchor") == Json(anchor);
    return {of_that_name ? anchor : "", &target};
}

const Json& DynamicReferences::outermost(const Json& schema, const char* keyword) {
    const auto [name, target] = reference_of(schema, keyword);
    if (name.empty()) return *target;
    const Anchors& anchors = anchors_.at(name);
    if (anchors.size() == 1) return *target;
    if (const auto root = anchors.find(0); root != anchors.end()) return *root->second;
    const Scopes& scopes = scopes_of(name);
    const auto found = scopes.find(&schema);
    if (found != scopes.end() && found->second.size() == 1) {
        const int outer = *found->second.begin();
        return outer < 0 ? *target : *anchors.at(outer);
    }
    std::string places;
    for (const auto& [resource, anchor] : anchors)
        places += (places.empty() ? "" : ", ") + document_->path_of(*anchor);
    const std::string anchor =
        name == recursive_anchor ? "'$recursiveAnchor'" : "'$dynamicAnchor' \"" + name + "\"";
    document_->unsupported(schema, keyword,
                           "resolves to different schemas, depending on the path of references: " +
                               places + "; give the root that " + anchor + ", or use $ref");
}

const DynamicReferences::Scopes& DynamicReferences::scopes_of(const std::string& name) {
    if (const auto known = scopes_.find(name); known != scopes_.end()) return known->second;
    Scopes& scopes = scopes_[name];
    const Anchors& anchors = anchors_.at(name);
    std::vector<std::pair<const Json*, int>> open;
    const auto arrive = [&](const Json& schema, int outer) {
        const int here = document_->resource_of(schema);
        if (outer < 0 && anchors.count(here) != 0) outer = here;
        if (scopes[&schema].insert(outer).second) open.emplace_back(&schema, outer);
    };
    arrive(document_->root(), -1);
    while (!open.empty()) {
        const auto [schema, outer] = open.back();
        open.pop_back();
        for (const Json* to : next(*schema, name, outer)) arrive(*to, outer);
    }
    return scopes;
}

// The schemas that may be applied next after this one. A reference to another anchor name may lead
// to any anchor of that name.
std::set<const Json*> DynamicReferences::next(const Json& schema, const std::string& name,
                                              int outer) {
    std::set<const Json*> found;
    if (!schema.is_object()) return found;
    if (schema.contains("$ref")) found.insert(&document_->follow(schema, "$ref"));
    if (document_->ignores_siblings(schema)) return found;
    for (const char* keyword : {dynamic, recursive})
        if (schema.contains(keyword)) add_dynamic(schema, keyword, name, outer, found);
    for (const Json* part : schema_parts(schema, false))
        if (part->is_object()) found.insert(part);
    return found;
}

void DynamicReferences::add_dynamic(const Json& schema, const char* keyword,
                                    const std::string& name, int outer,
                                    std::set<const Json*>& found) {
    const Reference reference = reference_of(schema, keyword);
    if (reference.name == name && outer >= 0) {
        found.insert(anchors_.at(name).at(outer));
        return;
    }
    found.insert(reference.target);
    if (reference.name.empty() || reference.name == name) return;
    for (const auto& [resource, anchor] : anchors_.at(reference.name)) found.insert(anchor);
}

}  // namespace tbt
