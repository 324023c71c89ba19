// A schema document: its drafts, identifiers and references, names of places for messages,
// and a check that every keyword is one we know.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grammar/schema/dynamic_references.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/schema/written_order.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

class SchemaDocument {
public:
    SchemaDocument(const std::string& text, const std::string& name, const SchemaOptions& options);

    const Json& root() const { return root_; }
    const std::string& name() const { return name_; }
    // Where $ref, $dynamicRef or $recursiveRef leads, or the inner `$at` of a schema made here.
    // Nothing: the schema refers to none. Throws UnsupportedSchema when a reference
    // leaves the document, other than to the schema of a draft.
    std::vector<const Json*> references(const Json& schema);
    // Throws unless the schema is true, false or an object of known keywords with values of
    // the right kind.
    void check(const Json& schema);

    // The older drafts' way to say things. 0: no $schema says which, and 2020-12 is assumed.
    int draft_of(const Json& schema) const;
    bool ignores_siblings(
        const Json& schema) const;  // draft 7 and before: beside $ref nothing counts
    const Json* prefix_of(const Json& schema) const;  // prefixItems, or items as a list
    const Json* rest_of(const Json& schema) const;    // items, or additionalItems after a list

    // Drafts 4 and 6 have no `if`, `then` and `else`.
    bool knows_conditions(const Json& schema) const {
        return draft_of(schema) != 4 && draft_of(schema) != 6;
    }
    bool has_condition(const Json& schema) const {
        return schema.contains("if") && knows_conditions(schema);
    }
    bool enforces_formats() const { return options_.formats; }

    // The keys of an object of the document, in the order in which it is written.
    std::vector<std::string> order_of(const Json& object) const { return order_.of(object); }

    // Somewhere it says unevaluatedProperties or unevaluatedItems.
    bool asks_what_was_evaluated() const { return unevaluated_; }

    // A schema that stands in no document: made from others, which it holds `at` their place.
    const Json& keep(Json schema) { return made_.emplace_back(std::move(schema)); }
    Json at(const Json& schema);
    [[noreturn]] void unsupported(const Json& schema, const std::string& keyword,
                                  const std::string& why) const;
    [[noreturn]] void wrong(const Json& schema, const std::string& what) const;
    // An automaton that grew too large: names the keyword that most likely asked for it.
    [[noreturn]] void too_large(const Json& schema, const std::exception& e) const;
    // A name that says nothing about values: told once, or refused where options.strict.
    void remark(const Json& schema, const std::string& keyword, const std::string& name,
                const std::string& why);
    // Something is done in a narrower way than it was asked for: said once, or refused.
    void tell(const Json& schema, const std::string& keyword, const std::string& name,
              const std::string& refusal, const std::string& said);
    std::string path_of(const Json& schema) const;

private:
    friend class DynamicReferences;
    // A schema with an identifier of its own: references inside are resolved against it.
    struct Resource {
        const Json* root;
        std::string uri;
        int draft;
    };
    void index(const Json& schema, int resource, int depth);
    void put_beside(const std::vector<std::string_view>& texts);
    int draft_named(const Json& schema, int otherwise) const;
    const Json& follow(const Json& schema, const char* keyword, std::string* anchor = nullptr);
    const Json& walk(const Json& schema, const char* keyword, const Json& from,
                     std::string pointer);
    int resource_of(const Json& schema) const;

    std::string name_;
    SchemaOptions options_;
    std::set<std::string> remarked_;
    Json root_;
    std::deque<Json> beside_;  // schemas of the drafts that references lead to
    WrittenOrder order_;
    std::deque<Json> made_;
    std::vector<const Json*> held_;  // by the number in $at
    std::vector<Resource> resources_;
    std::map<const Json*, int> resource_;  // of every schema
    std::map<std::string, int> by_uri_;
    std::map<std::pair<int, std::string>, const Json*> anchors_;
    DynamicReferences dynamic_;
    std::set<const Json*> checked_;
    bool unevaluated_ = false;
};

// A number of a schema as a count. Throws through the document.
long long count_of(const SchemaDocument& document, const Json& schema, const char* keyword,
                   long long otherwise);

}  // namespace tbt
