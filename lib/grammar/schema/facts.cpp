#include "lib/grammar/schema/facts.hpp"

#include <algorithm>
#include <iterator>

#include "lib/core/index.hpp"
#include "lib/grammar/schema/keywords.hpp"

namespace tbt {

namespace {

constexpr std::size_t max_key_classes = 64, max_needs = 6;

// A limit that no text reaches within the largest budget, a million tokens, is none.
long long most_of(const Json& schema, const char* keyword) {
    const long long most = count_of(schema, keyword, -1);
    return most < 100'000'000 ? most : -1;
}

long long fewer(long long a, long long b) { return a < 0 ? b : b < 0 ? a : std::min(a, b); }

}  // namespace

Conjunction join(const Conjunction& a, const Conjunction& b) {
    Conjunction both;
    both.reserve(a.size() + b.size());
    if (std::is_sorted(a.begin(), a.end()) && std::is_sorted(b.begin(), b.end())) {
        std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    } else {
        both = a;
        both.insert(both.end(), b.begin(), b.end());
        std::sort(both.begin(), both.end());
    }
    both.erase(std::unique(both.begin(), both.end()), both.end());
    return both;
}

bool SchemaFacts::constrains(const Json& schema, const std::string& type) const {
    static const std::vector<const char*> of_objects = {
        "properties", "patternProperties", "additionalProperties", "propertyNames",
        "required",   "minProperties",     "maxProperties"};
    static const std::vector<const char*> of_arrays = {"items",    "prefixItems", "minItems",
                                                       "maxItems", "uniqueItems", "contains"};
    const auto& keywords = type == "object" ? of_objects : of_arrays;
    return std::any_of(keywords.begin(), keywords.end(),
                       [&](const char* k) { return schema.contains(k); });
}

const ObjectFact& SchemaFacts::object(const Json& schema) {
    const auto found = objects_.find(&schema);
    return found != objects_.end() ? found->second
                                   : objects_.emplace(&schema, read_object(schema)).first->second;
}

const ArrayFact& SchemaFacts::array(const Json& schema) {
    const auto found = arrays_.find(&schema);
    return found != arrays_.end() ? found->second
                                  : arrays_.emplace(&schema, read_array(schema)).first->second;
}

const Json& SchemaFacts::add(ObjectFact fact) {
    const Json& made = document_->keep(Json::object());
    objects_.emplace(&made, std::move(fact));
    return made;
}

const Json& SchemaFacts::add(ArrayFact fact) {
    const Json& made = document_->keep(Json::object());
    arrays_.emplace(&made, std::move(fact));
    return made;
}

ObjectFact SchemaFacts::read_object(const Json& schema) {
    static const Json never = false;
    ObjectFact fact;
    if (schema.contains("properties")) {
        fact.written = &schema.at("properties");
        for (const auto& [key, value] : fact.written->items()) fact.named[key] = &value;
    }
    if (schema.contains("patternProperties")) {
        for (const auto& [pattern, value] : schema.at("patternProperties").items())
            fact.patterns.push_back({pattern_of_keys(*document_, schema, pattern), &value});
    }
    if (schema.contains("additionalProperties")) fact.others = &schema.at("additionalProperties");
    if (schema.contains("propertyNames")) {
        const SharedDfa keys = scalars_->valid(schema.at("propertyNames")).whole_strings();
        if (keys) fact.each.push_back({complement(*keys), &never});
    }
    if (schema.contains("required")) {
        for (const Json& name : schema.at("required"))
            fact.required.insert(name.get<std::string>());
    }
    fact.least = count_of(schema, "minProperties", 0);
    fact.most = most_of(schema, "maxProperties");
    return fact;
}

bool ObjectFact::is_other(const std::string& key) const {
    return named.count(key) == 0 &&
           std::none_of(patterns.begin(), patterns.end(),
                        [&](const KeyRule& p) { return p.keys.accepts(key); });
}

const Dfa& ObjectFact::other_keys() const {
    if (known_other_keys) return *known_other_keys;
    std::vector<std::string> names;
    for (const auto& [name, value] : named) names.push_back(name);
    Dfa own = Dfa::of(names);
    for (const KeyRule& p : patterns) own = own | p.keys;
    return *(known_other_keys = complement(own));
}

Dfa ObjectFact::evaluated() const {
    if (silent) return {};
    return complete || others != nullptr ? Dfa::anything() : complement(other_keys());
}

ArrayFact SchemaFacts::read_array(const Json& schema) {
    ArrayFact fact;
    if (const Json* prefix = document_->prefix_of(schema)) {
        for (const Json& item : *prefix) fact.prefix.push_back(&item);
    }
    fact.rest = document_->rest_of(schema);
    fact.least = count_of(schema, "minItems", 0);
    fact.most = most_of(schema, "maxItems");
    if (schema.contains("contains")) {
        const ItemCount count{&schema.at("contains"), 0, count_of(schema, "minContains", 1),
                              most_of(schema, "maxContains")};
        fact.counts.push_back(count);
    }
    fact.unique = schema.contains("uniqueItems") && schema.at("uniqueItems") == Json(true);
    fact.complete = fact.rest != nullptr;
    return fact;
}

// Conjunctions are sorted by address, which differs between machines; so the document decides.
SchemaFacts::Order SchemaFacts::order_of(Conjunction demands) {
    const auto key = [&](const Json* schema) {
        const int number = document_->number_of(*schema);
        return std::pair(number, number < 0 ? json_text(*schema) : "");
    };
    std::sort(demands.begin(), demands.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
    Order order;
    for (const Json* schema : demands) add_order(*schema, order);
    return order;
}

void SchemaFacts::add_order(const Json& schema, Order& order) {
    static const std::set<std::string> conditions = {"if", "then", "else"};
    static const std::set<std::string> lists = {"allOf", "anyOf", "oneOf", "dependentSchemas",
                                                "dependencies"};
    if (!schema.is_object() || !order.emplace(&schema, count(order)).second) return;
    for (const Json* target : document_->references(schema)) add_order(*target, order);
    for (const auto& [key, value] : schema.items()) {
        if (key == "properties" || key == "const") order.emplace(&value, count(order));
        if (key == "enum")
            for (const Json& one : value) order.emplace(&one, count(order));
        if (conditions.count(key) != 0) add_order(value, order);
        if (lists.count(key) != 0)
            for (const Json& part : value) add_order(part, order);
    }
}

void SchemaFacts::put_in_order(ObjectPlan& plan, const Conjunction& facts, const Order& order) {
    std::map<int, const Json*> written;
    for (const Json* fact : facts)
        if (const Json* names = object(*fact).written) written.emplace(order.at(names), names);
    std::map<std::string, int> places;
    for (const auto& [number, names] : written)
        for (const auto& [name, value] : names->items()) places.try_emplace(name, count(places));
    std::vector<std::pair<int, ObjectPlan::Member>> placed;
    for (ObjectPlan::Member& m : plan.members) {
        const auto found = places.find(m.name);
        placed.emplace_back(found == places.end() ? count(places) : found->second, std::move(m));
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    plan.members.clear();
    for (auto& [place, member] : placed) plan.members.push_back(std::move(member));
}

ObjectPlan SchemaFacts::objects(const Conjunction& facts, bool closed) {
    ObjectPlan plan = members(facts);
    // Empty `properties` say that there are no members, if nothing says what they are called.
    const auto any = [&](auto is) {
        return std::any_of(facts.begin(), facts.end(),
                           [&](const Json* f) { return is(object(*f)); });
    };
    const bool named =
        !plan.members.empty() || (any([](const ObjectFact& f) { return f.written != nullptr; }) &&
                                  !any([](const ObjectFact& f) { return !f.each.empty(); }));
    const bool needed = !plan.needs.empty() || plan.least > count(plan.members);
    add_classes(plan, facts, closed && named && !needed);
    return plan;
}

ObjectPlan SchemaFacts::members(const Conjunction& facts) {
    ObjectPlan plan;
    std::set<std::string> names, required;
    std::map<std::string, Conjunction> named;  // by key: the schemas given for its name
    std::vector<const KeyRule*> needs, each;
    std::vector<const ObjectFact*> others;
    for (const Json* f : facts) {
        const ObjectFact& fact = object(*f);
        for (const auto& [name, value] : fact.named)
            names.insert(name), named[name].push_back(value);
        for (const KeyRule& rule : fact.patterns) each.push_back(&rule);
        for (const KeyRule& rule : fact.each) each.push_back(&rule);
        if (fact.others != nullptr) others.push_back(&fact);
        required.insert(fact.required.begin(), fact.required.end());
        for (const KeyRule& rule : fact.needs) needs.push_back(&rule);
        plan.least = std::max(plan.least, fact.least);
        plan.most = fewer(plan.most, fact.most);
    }
    names.insert(required.begin(), required.end());
    if (needs.size() > max_needs)
        document_->unsupported(
            *facts[0], "not",
            "requires members of more than 6 kinds in one object; use a simpler 'not'");
    for (const KeyRule* need : needs) plan.needs.push_back(need->value);
    for (const std::string& name : names) {
        Conjunction about = named[name];
        for (const KeyRule* rule : each)
            if (rule->keys.accepts(name)) about.push_back(rule->value);
        for (const ObjectFact* fact : others)
            if (fact->is_other(name)) about.push_back(fact->others);
        ObjectPlan::Member member{name, {}, join(about, {}), required.count(name) != 0, 0};
        for (std::size_t n = 0; n < needs.size(); ++n)
            member.needs |= needs[n]->keys.accepts(name) ? 1u << n : 0u;
        plan.members.push_back(std::move(member));
    }
    return plan;
}

// Divides the keys without a name into classes: for all keys of one class the same rules hold, and
// they can fulfil the same needs.
void SchemaFacts::add_classes(ObjectPlan& plan, const Conjunction& facts, bool closed) {
    std::vector<std::string> names;
    for (const ObjectPlan::Member& m : plan.members) names.push_back(m.name);
    std::vector<const Dfa*> sets;  // first the keys of rules for values, then those of needs
    std::vector<const Json*> values;
    Conjunction all;  // demands on the values of all such keys
    for (const Json* f : facts) {
        const ObjectFact& fact = object(*f);
        for (const auto* rules : {&fact.patterns, &fact.each})
            for (const KeyRule& rule : *rules)
                sets.push_back(&rule.keys), values.push_back(rule.value);
        if (fact.others == nullptr) continue;
        if (fact.patterns.empty()) all = join(all, {fact.others});
        else sets.push_back(&fact.other_keys()), values.push_back(fact.others);
    }
    for (const Json* f : facts)
        for (const KeyRule& rule : object(*f).needs) sets.push_back(&rule.keys);
    const auto is_excluded = [&](const Conjunction& value) {
        return (closed && value.empty()) ||
               std::any_of(value.begin(), value.end(), [](auto* v) { return *v == Json(false); });
    };
    if (sets.empty() && is_excluded(all)) return;
    std::map<std::pair<Conjunction, unsigned>, Dfa> alike;
    for (const KeyClass& c : classes_of(names, sets, facts)) {
        Conjunction value = all;
        unsigned needs = 0;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            if (!c.inside[i]) continue;
            if (i < values.size()) value = join(value, {values[i]});
            else needs |= 1u << (i - values.size());
        }
        if (is_excluded(value)) continue;
        Dfa& keys = alike[{value, needs}];
        keys = keys.empty() ? c.keys : keys | c.keys;
    }
    for (auto& [key, keys] : alike)
        plan.classes.push_back({"", std::move(keys), key.first, false, key.second});
}

// Splits all keys but these names by sets of keys. Stored, since alternatives often repeat them.
const std::vector<SchemaFacts::KeyClass>& SchemaFacts::classes_of(
    const std::vector<std::string>& names, const std::vector<const Dfa*>& sets,
    const Conjunction& facts) {
    const auto [known, added] = classes_.try_emplace({names, sets});
    std::vector<KeyClass>& classes = known->second;
    if (!added) return classes;
    classes.push_back({complement(Dfa::of(names)), {}});
    for (const Dfa* set : sets) {
        std::vector<KeyClass> parts;
        for (const KeyClass& c : classes) {
            for (const bool inside : {true, false}) {
                parts.push_back({inside ? c.keys & *set : c.keys - *set, c.inside});
                parts.back().inside.push_back(inside);
                if (parts.back().keys.empty()) parts.pop_back();
            }
        }
        classes = std::move(parts);
        if (classes.size() > max_key_classes)
            document_->unsupported(*facts[0], "patternProperties",
                                   "has too many patterns that overlap; use fewer");
    }
    return classes;
}

ArrayPlan SchemaFacts::arrays(const Conjunction& facts) {
    ArrayPlan plan;
    std::size_t longest = 0;
    for (const Json* f : facts) {
        const ArrayFact& fact = array(*f);
        longest = std::max(longest, fact.prefix.size());
        plan.least = std::max(plan.least, fact.least);
        plan.most = fewer(plan.most, fact.most);
        plan.unique = plan.unique || fact.unique;
        plan.repeats = plan.repeats || fact.repeats;
        for (const ItemCount& count : fact.counts) {
            if (count.least > 0 || count.most >= 0) plan.counts.push_back(count);
        }
    }
    for (std::size_t i = 0; i <= longest; ++i) {
        Conjunction about;
        for (const Json* f : facts) {
            const ArrayFact& fact = array(*f);
            if (i < fact.prefix.size()) about.push_back(fact.prefix[i]);
            else if (fact.rest != nullptr) about.push_back(fact.rest);
        }
        about = join(about, {});
        if (i < longest) plan.prefix.push_back(std::move(about));
        else plan.rest = std::move(about);
    }
    std::sort(plan.counts.begin(), plan.counts.end());
    plan.counts.erase(std::unique(plan.counts.begin(), plan.counts.end()), plan.counts.end());
    return plan;
}

}  // namespace tbt
