// What one schema's own keywords say about objects and about arrays, and what several of
// them say together.
//
// Schemas made by this program use a few keywords of their own:
//   $at        the schema that stands elsewhere
//   $each      {keys, value}: every member with a key from `keys` (see hold_keys) has a value
//              that meets `value`
//   $need      {keys, value}: some member does
//   $count     {value, from, min, max}: of the items from that index on, so many meet `value`
//   $repeats   two items are equal
//   $silent    says nothing to unevaluatedProperties and unevaluatedItems
//   $complete  … tells them that everything was looked at
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

using Demands = std::vector<const Json*>;  // schemas that must all hold; sorted, each once

struct KeyRule {
    Dfa keys;
    const Json* value;
};

struct ObjectFact {
    std::map<std::string, const Json*> named;
    std::vector<KeyRule> patterns;  // patternProperties
    const Json* others = nullptr;   // additionalProperties: of keys without a name or pattern here
    std::vector<KeyRule> each, needs;
    std::set<std::string> required;
    long long least = 0, most = -1;  // members; −1: any number
    // What unevaluatedProperties leaves alone, where that is not what is named, matched or other.
    bool silent = false, complete = false;

    bool is_other(const std::string& key) const;
    const Dfa& other_keys() const;
    Dfa evaluated() const;

private:
    mutable std::optional<Dfa> other_keys_;  // made when it is asked for
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

// Facts put together. Members and classes of keys: each key belongs to one of them.
struct ObjectPlan {
    struct Member {
        std::string name;  // of a class: none
        Dfa keys;          // of a member: none
        Demands value;
        bool required = false;
        unsigned needs = 0;  // the needs that it can serve, one bit each
    };
    std::vector<Member> members, classes;
    std::vector<const Json*> needs;
    long long least = 0, most = -1;
};

struct ArrayPlan {
    std::vector<Demands> prefix;
    Demands rest;
    long long least = 0, most = -1;
    std::vector<ItemCount> counts;
    bool unique = false, repeats = false;
};

Demands join(const Demands& a, const Demands& b);
// The members as `properties` lists them, those of the first fact first.
void put_in_order(ObjectPlan& plan, const Demands& facts, const SchemaDocument& document);

class SchemaFacts {
public:
    SchemaFacts(SchemaDocument& document, ScalarRules& scalars)
        : document_(&document), scalars_(&scalars) {}

    // Does the schema itself speak of this type, "object" or "array"?
    bool speaks_of(const Json& schema, const std::string& type) const;
    const ObjectFact& object(const Json& schema);
    const ArrayFact& array(const Json& schema);
    // closed: without members that nobody names and nothing is said of, where others are named.
    ObjectPlan objects(const Demands& facts, bool closed);
    ObjectPlan members(const Demands& facts);  // the same without classes, which take longer
    ArrayPlan arrays(const Demands& facts);

    // Keeps a set of keys; $each and $need name it by this number.
    std::size_t hold_keys(Dfa keys);

private:
    ObjectFact read_object(const Json& schema);
    ArrayFact read_array(const Json& schema);
    struct KeyClass {
        Dfa keys;
        std::vector<bool> inside;  // by set
    };
    const std::vector<KeyClass>& classes_of(const std::vector<std::string>& names,
                                            const std::vector<const Dfa*>& sets,
                                            const Demands& facts);
    void add_classes(ObjectPlan& plan, const Demands& facts, bool closed);

    SchemaDocument* document_;
    ScalarRules* scalars_;
    std::map<const Json*, ObjectFact> objects_;
    std::map<const Json*, ArrayFact> arrays_;
    std::map<std::pair<std::vector<std::string>, std::vector<const Dfa*>>, std::vector<KeyClass>>
        classes_;
    std::vector<Dfa> keys_;
};

}  // namespace tbt
