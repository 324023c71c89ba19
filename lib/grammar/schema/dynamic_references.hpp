// $dynamicRef and $recursiveRef: references that lead elsewhere, depending on the way one came.
//
// A reference to a dynamic anchor leads to the outermost resource on the way here that has an
// anchor of this name. The way begins at the root; so where the root has that anchor, it is the
// root's. Elsewhere all ways are looked at, before any value is: where they agree, the reference is
// like any other.
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

    // The anchors of a schema of this resource.
    void add(const Json& schema, int resource);

    // Where the schema's $dynamicRef, or its $recursiveRef, leads. Throws UnsupportedSchema where
    // ways disagree.
    const Json& follow(const Json& schema);
    const Json& follow_recursive(const Json& schema);

private:
    // A resource and the schema of its anchor.
    using Anchors = std::map<int, const Json*>;
    // For each schema that is reached: the outermost resources with the anchor, −1 for none.
    using Scopes = std::map<const Json*, std::set<int>>;

    // The name of the anchor, and where it leads if no resource on the way has one.
    struct Reference {
        std::string name;  // "": none, the reference is like any other
        const Json* target;
    };
    Reference reference_of(const Json& schema, const char* keyword);
    const Json& outermost(const Json& schema, const char* keyword);
    const Scopes& scopes_of(const std::string& name);
    std::set<const Json*> next(const Json& schema, const std::string& name, int outer);
    void add_dynamic(const Json& schema, const char* keyword, const std::string& name, int outer,
                     std::set<const Json*>& found);

    SchemaDocument* document_;
    std::map<std::string, Anchors> anchors_;  // by name; "$recursiveAnchor" is one
    std::map<std::string, Scopes> scopes_;
};

}  // namespace tbt
