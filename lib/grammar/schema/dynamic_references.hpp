// Resolves $dynamicRef and $recursiveRef: references whose target depends on the path by which the
// schema was reached.
//
// A reference to a dynamic anchor leads to the outermost resource on this path that has an anchor
// of this name. The path begins at the root; so if the root has that anchor, it is the target.
// Otherwise all paths are examined in advance. If they agree, the reference has one target, like
// any other reference.
#pragma once

#include <map>
#include <set>
#include <string>

#include "lib/machine/json_file.hpp"

namespace tbt {

class SchemaDocument;

class DynamicReferences {
public:
    explicit DynamicReferences(SchemaDocument& document) : document_(&document) {}

    // Registers the anchors of a schema of this resource.
    void add(const Json& schema, int resource);

    // The target of the schema's $dynamicRef, or of its $recursiveRef. Throws UnsupportedSchema if
    // paths disagree.
    const Json& follow(const Json& schema);
    const Json& follow_recursive(const Json& schema);

private:
    // By resource: the schema that has the anchor.
    using Anchors = std::map<int, const Json*>;
    // For each schema that can be reached: the outermost resources with the anchor on all paths to
    // it; −1 if there is none.
    using Scopes = std::map<const Json*, std::set<int>>;

    // The name of the anchor, and the target if no resource on the path has such an anchor.
    struct Reference {
        std::string name;  // "": not dynamic, the reference is like any other
        const Json* target;
    };
    Reference reference_of(const Json& schema, const char* keyword);
    const Json& outermost(const Json& schema, const char* keyword);
    const Scopes& scopes_of(const std::string& name);
    std::set<const Json*> next(const Json& schema, const std::string& name, int outer);
    void add_dynamic(const Json& schema, const char* keyword, const std::string& name, int outer,
                     std::set<const Json*>& found);

    SchemaDocument* document_;
    std::map<std::string, Anchors> anchors_;  // by name; one name is "$recursiveAnchor"
    std::map<std::string, Scopes> scopes_;
};

}  // namespace tbt
