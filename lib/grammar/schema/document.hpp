// A schema document. It finds drafts and identifiers, resolves references, names places for
// messages, and checks that every keyword is known and has a value of the right kind.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/grammar/schema/schema.hpp"
#include "lib/json/json.hpp"

namespace tbt {

class SchemaDocument {
public:
    SchemaDocument(const std::string& text, const std::string& name, const SchemaOptions& options);

    const Json& root() const { return root_; }
    const std::string& name() const { return name_; }
    // The targets of the schema's $ref, $dynamicRef and $recursiveRef, and of the internal `$at`;
    // empty if it has none. Throws UnsupportedSchema if a reference leaves the document, or if its
    // target depends on the path by which the schema was reached.
    const std::vector<const Json*>& references(const Json& schema);
    // Throws unless the schema is true, false or an object whose known keywords have values of the
    // right kind. Unknown keywords are reported as remark() does.
    void check(const Json& schema);

    // The draft: 4, 6, 7, 2019 or 2020. 0: no $schema names it; 2020-12 is assumed.
    int draft_of(const Json& schema) const;
    // The number of schemas before this one in the document; −1 for a schema from keep().
    int number_of(const Json& schema) const;
    // In draft 7 and earlier, the other keywords of a schema with $ref have no effect.
    bool ignores_siblings(const Json& schema) const;
    // The list of schemas of the first items: prefixItems, or items if that is a list. The schema
    // of all other items: items, or additionalItems if items is a list. Null if there is none.
    const Json* prefix_of(const Json& schema) const;
    const Json* rest_of(const Json& schema) const;

    // Drafts 4 and 6 have no `if`, `then` and `else`.
    bool knows_conditions(const Json& schema) const {
        return draft_of(schema) != 4 && draft_of(schema) != 6;
    }
    bool has_condition(const Json& schema) const {
        return schema.contains("if") && knows_conditions(schema);
    }
    bool knows_nullable() const { return options_.nullable; }
    // Has it a format that is enforced?
    bool has_format(const Json& schema) const {
        return options_.formats && schema.contains("format");
    }

    // Does the document use unevaluatedProperties or unevaluatedItems anywhere?
    bool asks_what_was_evaluated() const { return unevaluated_; }

    // keep: stores a schema that the program has made, which is in no document. at: a reference to
    // an existing schema, to be used inside a made one.
    const Json& keep(Json schema) { return made_.emplace_back(std::move(schema)); }
    Json at(const Json& schema);
    [[noreturn]] void unsupported(const Json& schema, const std::string& keyword,
                                  const std::string& why) const;
    [[noreturn]] void wrong(const Json& schema, const std::string& what) const;
    // Throws for an automaton that grew too large; the message names the keyword that most likely
    // caused it.
    [[noreturn]] void too_large(const Json& schema, const std::exception& e) const;
    // Reports a keyword or format that is ignored: once for each name, or as an error if
    // options.strict.
    void remark(const Json& schema, const std::string& keyword, const std::string& name,
                const std::string& why);
    bool remarked(const std::string& keyword) const { return remarked_.count(keyword + " ") != 0; }
    // Reports once that fewer values are generated than the schema allows, or refuses if
    // options.strict.
    void tell(const Json& schema, const std::string& keyword, const std::string& name,
              const std::string& refusal, const std::string& said);
    std::string path_of(const Json& schema) const;

private:
    // A schema with its own identifier, against which the references inside it are resolved.
    struct Resource {
        const Json* root;
        std::string uri;
        int draft;
        int outer = -1;  // the resource around it; −1: none
    };
    void note_inexact(const Json& value, const std::map<int, std::string>& numbers, int& place);
    void refuse_inexact(const Json& schema, const Json& value) const;
    void index(const Json& schema, int resource, int depth);
    int draft_named(const Json& schema, int otherwise) const;
    const Json& follow(const Json& schema, const char* keyword, std::string* anchor = nullptr);
    const Json& follow_dynamic(const Json& schema, const char* keyword);
    const Json& walk(const Json& schema, const char* keyword, const Json& from,
                     std::string pointer);
    int resource_of(const Json& schema) const;

    std::string name_;
    SchemaOptions options_;
    std::set<std::string> remarked_;
    Json root_;
    std::map<const Json*, std::string> inexact_;  // by number: how it was written
    std::deque<Json> made_;
    std::vector<const Json*> held_;  // by the number in $at
    std::vector<Resource> resources_;
    struct Place {
        int resource, number;  // the resource that it belongs to; the place in the document
    };
    std::map<const Json*, Place> places_;  // by schema
    // By a resource and an identifier: the resource inside it, or itself, that has this identifier.
    std::map<std::pair<int, std::string>, int> by_uri_;
    std::map<std::pair<int, std::string>, const Json*> anchors_;
    // By name, then by resource: the schema with this $dynamicAnchor, or with a true
    // $recursiveAnchor (under that name: no real anchor begins with $).
    std::map<std::string, std::map<int, const Json*>> dynamic_anchors_;
    std::set<const Json*> checked_;
    std::map<const Json*, std::vector<const Json*>> references_;  // by schema, once known
    bool unevaluated_ = false;
};

}  // namespace tbt
