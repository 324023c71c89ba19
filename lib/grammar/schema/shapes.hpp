// What a schema says about objects or arrays, in disjunctive normal form: alternatives, each a list
// of schemas whose own keywords must all hold.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/grammar/schema/document.hpp"
#include "lib/grammar/schema/facts.hpp"
#include "lib/grammar/schema/scalars.hpp"

namespace tbt {

using Alternatives = std::vector<Conjunction>;  // {}: impossible; {{}}: anything

class ShapeRules {
public:
    ShapeRules(SchemaDocument& document, ScalarRules& scalars)
        : document_(&document), scalars_(&scalars), facts_(document, scalars) {}

    // type: "object" or "array". The demands returned are schemas whose own keywords restrict that
    // type.
    const Alternatives& of(const Json& schema, const std::string& type);
    Alternatives of(const Conjunction& demands, const std::string& type);
    SchemaFacts& facts() { return facts_; }

    const Json& negation_of(const Json& schema);

    // True: certainly no value meets the demands. False: some value does, or it could not be found
    // out.
    bool impossible(const Conjunction& demands, int depth = 0);

    // For an array whose items must all be different: the demands on each item that may come, at
    // most once. There is one for each value that the schema lists (by enum, const or a type of
    // null and boolean), or else one for each kind of values; the kinds have no value in common.
    // The user is told that kinds are used (by_kind). Throws UnsupportedSchema if prefixItems or
    // contains are
    // used too, or if there are too many values.
    std::vector<Conjunction> distinct_items(const ArrayPlan& plan, const Conjunction& facts,
                                            bool& by_kind);

private:
    Alternatives work_out(const Json& schema, const std::string& type);
    Alternatives any_of(const Json& schema, const std::string& type);
    Alternatives only_one(const Json& schema, const std::string& type);
    Alternatives conditional(const Json& schema, const std::string& type);
    Alternatives dependent(const Json& dependencies);
    Alternatives negation(const Alternatives& alternatives, const std::string& type);
    Alternatives negation(const Conjunction& facts, const std::string& type);
    const Alternatives& negation_of_fact(const Json& fact, const std::string& type);
    void negate_object(const Json& fact, Alternatives& any);
    void negate_array(const Json& fact, Alternatives& any);
    Alternatives without_rest(const Json& schema, Alternatives alternatives,
                              const std::string& type);
    const Json& rest_of_object(const Conjunction& facts, const Json& value);
    const Json& rest_of_array(const Json& schema, const Conjunction& facts, const Json& value);
    bool is_open(const Json& schema, std::set<const Json*>& seen);
    bool prove_impossible(const Conjunction& demands, int depth);
    bool impossible_shape(const Conjunction& facts, const std::string& type, int depth);
    const Json& demand_for(const Json& value);
    Alternatives all_of(const Alternatives& a, const Alternatives& b) const;

    SchemaDocument* document_;
    ScalarRules* scalars_;
    SchemaFacts facts_;
    std::map<std::pair<const Json*, std::string>, Alternatives> known_;
    std::set<std::pair<const Json*, std::string>> in_progress_;
    // The schemas being worked out, innermost last, each with the keyword whose alternatives are
    // being combined; for messages.
    struct Combining {
        const Json* schema;
        const char* keyword;
    };
    std::vector<Combining> combining_;
    std::map<Conjunction, bool> impossible_;
    std::map<const Json*, const Json*> negations_;
    std::map<std::pair<const Json*, std::string>, Alternatives> negations_of_alternatives_;
    std::vector<const Json*> kinds_;  // each JSON value meets exactly one; made when first needed
};

}  // namespace tbt
