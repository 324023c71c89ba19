// Facts: what a schema's own keywords say about objects or arrays. Plans: what several schemas say
// together about one object or array.
//
// Negation, const, enum and unevaluated… make further facts. A schema of no content stands for each
// of them in a conjunction (SchemaFacts::add).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/schema/document.hpp"
#include "lib/grammar/schema/scalars.hpp"

namespace tbt {

using Conjunction = std::vector<const Json*>;  // schemas that a value must all meet; a sorted set

struct KeyRule {  // the values of all members with these keys must meet `value`
    Dfa keys;
    const Json* value;
};

struct ObjectFact {
    std::map<std::string, const Json*> named = {};
    const Json* written = nullptr;       // the schema's object with these members in their order
    std::vector<KeyRule> patterns = {};  // patternProperties
    const Json* others = nullptr;        // additionalProperties: for keys without name or pattern
    // each: for all members with these keys. needs: at least one such member meets `value`.
    std::vector<KeyRule> each = {}, needs = {};
    std::set<std::string> required = {};
    long long least = 0, most = -1;  // number of members; most −1: no upper limit
    // Evaluates no members, or all of them, instead of those that are named, matched or others.
    bool silent = false, complete = false;

    bool is_other(const std::string& key) const;
    const Dfa& other_keys() const;
    Dfa evaluated() const;

    mutable std::optional<Dfa> known_other_keys = {};  // computed when first needed
};

struct ItemCount {
    const Json* value;
    long long from = 0, least = 0, most = -1;
    auto operator<=>(const ItemCount&) const = default;
};

struct ArrayFact {
    std::vector<const Json*> prefix = {};
    const Json* rest = nullptr;
    long long least = 0, most = -1;
    std::vector<ItemCount> counts = {};
    bool unique = false, repeats = false;   // repeats: two items are equal
    bool silent = false, complete = false;  // as for objects
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

class SchemaFacts {
public:
    SchemaFacts(SchemaDocument& document, ScalarRules& scalars)
        : document_(&document), scalars_(&scalars) {}

    // Do the schema's own keywords restrict this type, "object" or "array"?
    bool constrains(const Json& schema, const std::string& type) const;
    const ObjectFact& object(const Json& schema);
    const ArrayFact& array(const Json& schema);
    // closed: if members are named (`properties`, even empty, or `required`), no members that are
    // neither named nor described otherwise.
    ObjectPlan objects(const Conjunction& facts, bool closed);
    ObjectPlan members(const Conjunction& facts);  // the same without classes, which is faster
    ArrayPlan arrays(const Conjunction& facts);
    // Numbers the objects that name members of a value (properties, const, enum), as a reader finds
    // them who follows references.
    using Order = std::map<const Json*, int>;
    Order order_of(Conjunction demands);
    // Sorts the members into that order. Those that no such object names come last, by name.
    void put_in_order(ObjectPlan& plan, const Conjunction& facts, const Order& order);

    // A new schema that stands for the fact.
    const Json& add(ObjectFact fact);
    const Json& add(ArrayFact fact);

private:
    void add_order(const Json& schema, Order& order);
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
};

}  // namespace tbt
