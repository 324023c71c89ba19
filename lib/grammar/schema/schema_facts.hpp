// Facts: what a schema's own keywords say about objects or arrays. Plans: what several schemas say
// together about one object or array.
//
// Schemas made by this program use additional keywords:
//   $at        a reference to an existing schema, by number
//   $each      {keys, value}: every member with a key from `keys` (see store_keys) has a value
//              that meets `value`
//   $need      {keys, value}: at least one such member has a value that meets `value`
//   $count     {value, from, min, max}: min to max items from index `from` on meet `value`
//   $repeats   two items are equal
//   $silent    evaluates nothing, for unevaluatedProperties and unevaluatedItems
//   $complete  evaluates all members or items, for these two keywords
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/schema/schema_document.hpp"
#include "lib/grammar/schema/schema_scalars.hpp"

namespace tbt {

using Conjunction = std::vector<const Json*>;  // schemas that a value must all meet; a sorted set

struct KeyRule {  // the values of all members with these keys must meet `value`
    Dfa keys;
    const Json* value;
};

struct ObjectFact {
    std::map<std::string, const Json*> named;
    std::vector<KeyRule> patterns;  // patternProperties
    const Json* others = nullptr;   // additionalProperties: for keys without a name or pattern
    std::vector<KeyRule> each, needs;
    std::set<std::string> required;
    long long least = 0, most = -1;  // number of members; most −1: no upper limit
    // Evaluates no members, or all of them, instead of those that are named, matched or others.
    bool silent = false, complete = false;

    bool is_other(const std::string& key) const;
    const Dfa& other_keys() const;
    Dfa evaluated() const;

private:
    mutable std::optional<Dfa> other_keys_;  // computed when first needed
};

struct ItemCount {
    const Json* value;
    long long from = 0, least = 0, most = -1;
    auto operator<=>(const ItemCount&) const = default;
};

struct ArrayFact {
    std::vector<const Json*> prefix;
    const Json* rest = nullptr;
    long long least = 0, most = -1;
    std::vector<ItemCount> counts;
    bool unique = false, repeats = false, complete = false, silent = false;
};

// Several facts combined. Each key that may come is a member's name or belongs to one class.
struct ObjectPlan {
    struct Member {
        std::string name;  // empty for a class
        Dfa keys;          // empty for a member
        Conjunction value;
        bool required = false;
        unsigned needs = 0;  // one bit for each of the needs that it can fulfil
    };
    std::vector<Member> members, classes;
    std::vector<const Json*> needs;
    long long least = 0, most = -1;
};

struct ArrayPlan {
    std::vector<Conjunction> prefix;
    Conjunction rest;
    long long least = 0, most = -1;
    std::vector<ItemCount> counts;
    bool unique = false, repeats = false;
};

Conjunction join(const Conjunction& a, const Conjunction& b);
// Sorts the members into the order of `properties`, those of the first fact first.
void put_in_order(ObjectPlan& plan, const Conjunction& facts, const SchemaDocument& document);

class SchemaFacts {
public:
    SchemaFacts(SchemaDocument& document, ScalarRules& scalars)
        : document_(&document), scalars_(&scalars) {}

    // Do the schema's own keywords restrict this type, "object" or "array"?
    bool constrains(const Json& schema, const std::string& type) const;
    const ObjectFact& object(const Json& schema);
    const ArrayFact& array(const Json& schema);
    // closed: if members are named, no members that are neither named nor described otherwise.
    ObjectPlan objects(const Conjunction& facts, bool closed);
    ObjectPlan members(const Conjunction& facts);  // the same without classes, which is faster
    ArrayPlan arrays(const Conjunction& facts);

    // Stores a set of keys and returns its number, by which $each and $need refer to it.
    std::size_t store_keys(Dfa keys);

private:
    ObjectFact read_object(const Json& schema);
    ArrayFact read_array(const Json& schema);
    struct KeyClass {
        Dfa keys;
        std::vector<bool> inside;  // for each set: are the keys of this class in it?
    };
    const std::vector<KeyClass>& classes_of(const std::vector<std::string>& names,
                                            const std::vector<const Dfa*>& sets,
                                            const Conjunction& facts);
    void add_classes(ObjectPlan& plan, const Conjunction& facts, bool closed);

    SchemaDocument* document_;
    ScalarRules* scalars_;
    std::map<const Json*, ObjectFact> objects_;
    std::map<const Json*, ArrayFact> arrays_;
    std::map<std::pair<std::vector<std::string>, std::vector<const Dfa*>>, std::vector<KeyClass>>
        classes_;
    std::vector<Dfa> keys_;
};

}  // namespace tbt
