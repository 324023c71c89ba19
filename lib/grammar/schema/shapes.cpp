#include "lib/grammar/schema/shapes.hpp"

#include <algorithm>
#include <optional>

#include "lib/core/index.hpp"
#include "lib/grammar/schema/keywords.hpp"

namespace tbt {

namespace {

const Json yes = true, no = false;

constexpr std::size_t max_alternatives = 2000, max_any_of = 8;
constexpr std::size_t max_products = 20000;  // before redundant alternatives are dropped
constexpr int max_impossible_depth = 6;

// The keyword that splits this schema into alternatives, to name in a message.
const char* alternatives_keyword(const Json& schema) {
    for (const char* keyword : {"anyOf", "oneOf", "enum", "not", "if", "dependentRequired",
                                "dependentSchemas", "dependencies", "allOf"})
        if (schema.is_object() && schema.contains(keyword)) return keyword;
    return "$ref";
}

bool includes(const Conjunction& more, const Conjunction& fewer) {
    return std::includes(more.begin(), more.end(), fewer.begin(), fewer.end());
}

// Sorts the alternatives and removes duplicates; if drop_supersets, also each alternative that
// includes another.
Alternatives distinct(Alternatives all, bool drop_supersets) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (!drop_supersets || all.size() < 2) return all;
    if (all[0].empty()) return {{}};
    std::map<const Json*, std::vector<const Conjunction*>> needed;  // by their first demand
    std::vector<const Conjunction*> by_size;
    for (const Conjunction& demands : all) by_size.push_back(&demands);
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const auto* x, const auto* y) { return x->size() < y->size(); });
    std::set<const Conjunction*> dropped;
    for (const Conjunction* demands : by_size) {
        const bool redundant =
            std::any_of(demands->begin(), demands->end(), [&](const Json* first) {
                const auto found = needed.find(first);
                return found != needed.end() &&
                       std::any_of(
                           found->second.begin(), found->second.end(),
                           [&](const Conjunction* fewer) { return includes(*demands, *fewer); });
            });
        if (redundant) dropped.insert(demands);
        else needed[demands->front()].push_back(demands);
    }
    Alternatives kept;
    for (Conjunction& demands : all)
        if (dropped.count(&demands) == 0) kept.push_back(std::move(demands));
    return kept;
}

}  // namespace

// An alternative that includes another is redundant: a value that meets it also meets the other.
// Dropping such alternatives keeps the negation of several schemas small if they share demands;
// otherwise the alternatives would multiply.
Alternatives ShapeRules::all_of(const Alternatives& a, const Alternatives& b) const {
    const bool drop_supersets = !document_->asks_what_was_evaluated();
    Alternatives result;
    for (const Conjunction& x : a) {
        const auto meets = [&](const Conjunction& y) { return includes(x, y); };
        if (drop_supersets && std::any_of(b.begin(), b.end(), meets)) {
            result.push_back(x);
            continue;
        }
        for (const Conjunction& y : b) result.push_back(join(x, y));
        if (result.size() > max_products) result = distinct(std::move(result), drop_supersets);
        if (result.size() > max_products) break;
    }
    result = distinct(std::move(result), drop_supersets);
    if (result.size() > max_alternatives)
        document_->unsupported(*combining_.back().schema, combining_.back().keyword,
                               "makes more than 2000 combinations of alternatives; list or nest "
                               "fewer");
    return result;
}

const Alternatives& ShapeRules::of(const Json& schema, const std::string& type) {
    const auto key = std::pair(&schema, type);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    document_->check(schema);
    if (!in_progress_.insert(key).second)
        document_->unsupported(schema, "$ref", "is left-recursive: it refers directly to itself");
    combining_.push_back({&schema, "allOf"});
    Alternatives alternatives = work_out(schema, type);
    combining_.pop_back();
    in_progress_.erase(key);
    return known_.emplace(key, std::move(alternatives)).first->second;
}

Alternatives ShapeRules::of(const Conjunction& demands, const std::string& type) {
    Alternatives result{{}};
    for (const Json* schema : demands) {
        const Alternatives& next = of(*schema, type);
        combining_.push_back({schema, alternatives_keyword(*schema)});
        result = all_of(result, next);
        combining_.pop_back();
    }
    return result;
}

Alternatives ShapeRules::work_out(const Json& schema, const std::string& type) {
    if (schema.is_boolean()) return schema.get<bool>() ? Alternatives{{}} : Alternatives{};
    Alternatives result{{}};
    const auto combine = [&](const char* keyword, auto&& alternatives) {
        combining_.back().keyword = keyword;
        result = all_of(result, alternatives());
    };
    for (const Json* target : document_->references(schema))
        combine("$ref", [&] { return of(*target, type); });
    if (document_->ignores_siblings(schema)) return result;
    if (!type_allows(*document_, schema, type)) return {};
    if (facts_.constrains(schema, type)) result = all_of(result, {{&schema}});
    bool restricted = false;
    const std::vector<const Json*> values = listed_values(schema, restricted);
    if (restricted) {
        Alternatives listed;
        for (const Json* v : values) {
            if (type == "object" ? v->is_object() : v->is_array())
                listed.push_back({&demand_for(*v)});
        }
        combine("enum", [&] { return listed; });
    }
    if (schema.contains("allOf")) {
        for (const Json& part : schema.at("allOf"))
            combine("allOf", [&] { return of(part, type); });
    }
    if (schema.contains("anyOf")) combine("anyOf", [&] { return any_of(schema, type); });
    if (schema.contains("oneOf")) combine("oneOf", [&] { return only_one(schema, type); });
    if (schema.contains("not"))
        combine("not", [&] { return negation(of(schema.at("not"), type), type); });
    if (document_->has_condition(schema)) combine("if", [&] { return conditional(schema, type); });
    for (const char* keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
        if (type == "object" && schema.contains(keyword))
            combine(keyword, [&] { return dependent(schema.at(keyword)); });
    }
    return without_rest(schema, std::move(result), type);
}

// Several alternatives may hold at once. The set of values stays the same, but more members and
// items count as evaluated.
Alternatives ShapeRules::any_of(const Json& schema, const std::string& type) {
    const Json& parts = schema.at("anyOf");
    Alternatives any;
    if (!document_->asks_what_was_evaluated()) {
        for (const Json& part : parts) {
            const Alternatives& next = of(part, type);
            any.insert(any.end(), next.begin(), next.end());
        }
        return any;
    }
    if (parts.size() > max_any_of)
        document_->unsupported(schema, "anyOf",
                               "has more than 8 alternatives, the limit where "
                               "unevaluatedProperties or unevaluatedItems applies; use fewer");
    for (unsigned set = 1; set < 1u << parts.size(); ++set) {
        Alternatives together{{}};
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if ((set >> i & 1) != 0) together = all_of(together, of(parts.at(i), type));
        }
        any.insert(any.end(), together.begin(), together.end());
    }
    return any;
}

// An array or object of `const` or `enum` as a fact with one `const` for each item or member.
const Json& ShapeRules::demand_for(const Json& value) {
    const auto equal = [&](const Json& part) { return &document_->keep({{"const", part}}); };
    if (value.is_object()) {
        ObjectFact fact{.written = &value, .others = &no, .silent = true};
        for (const auto& [key, member] : value.items()) {
            fact.named[key] = equal(member);
            fact.required.insert(key);
        }
        return facts_.add(std::move(fact));
    }
    ArrayFact fact{.rest = &no, .least = std::ssize(value), .silent = true};
    for (const Json& item : value) fact.prefix.push_back(equal(item));
    return facts_.add(std::move(fact));
}

bool ShapeRules::impossible(const Conjunction& demands, int depth) {
    if (depth > max_impossible_depth) return false;
    if (const auto known = impossible_.find(demands); known != impossible_.end())
        return known->second;
    if (std::any_of(demands.begin(), demands.end(),
                    [](const Json* schema) { return *schema == Json(false); }))
        return true;
    // A schema that is still being worked out has no result yet.
    std::set<const Json*> seen;
    if (std::any_of(demands.begin(), demands.end(),
                    [&](const Json* schema) { return is_open(*schema, seen); }))
        return false;
    return impossible_[demands] = prove_impossible(demands, depth);
}

// Is this schema, or a subschema for the same value, still being worked out?
bool ShapeRules::is_open(const Json& schema, std::set<const Json*>& seen) {
    if (!schema.is_object() || !seen.insert(&schema).second) return false;
    if (in_progress_.count({&schema, "object"}) != 0 || in_progress_.count({&schema, "array"}) != 0)
        return true;
    std::vector<const Json*> parts = document_->references(schema);
    for (const char* keyword : {"not", "if", "then", "else"})
        if (schema.contains(keyword)) parts.push_back(&schema.at(keyword));
    for (const char* keyword : {"allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies"})
        if (schema.contains(keyword))
            for (const Json& part : schema.at(keyword)) parts.push_back(&part);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Json* part) { return is_open(*part, seen); });
}

bool ShapeRules::prove_impossible(const Conjunction& demands, int depth) {
    Scalars scalars;
    for (const Json* schema : demands) scalars = scalars & scalars_->of(*schema);
    if (!scalars.empty()) return false;
    for (const char* type : {"object", "array"}) {
        for (const Conjunction& facts : of(demands, type)) {
            if (!impossible_shape(facts, type, depth)) return false;
        }
    }
    return true;
}

bool ShapeRules::impossible_shape(const Conjunction& facts, const std::string& type, int depth) {
    if (type == "object") {
        const ObjectPlan plan = facts_.members(facts);
        return (plan.most >= 0 && plan.most < plan.least) ||
               std::any_of(plan.members.begin(), plan.members.end(),
                           [&](const ObjectPlan::Member& m) {
                               return m.required && impossible(m.value, depth + 1);
                           });
    }
    const ArrayPlan plan = facts_.arrays(facts);
    if (plan.most >= 0 && plan.most < plan.least) return true;
    for (std::size_t i = 0; i < plan.prefix.size() && static_cast<long long>(i) < plan.least; ++i) {
        if (impossible(plan.prefix[i], depth + 1)) return true;
    }
    return plan.least > static_cast<long long>(plan.prefix.size()) &&
           impossible(plan.rest, depth + 1);
}

// ---- negation: what does not meet a schema, as alternatives without "not" ----

// Negation of a conjunction: at least one of the schemas is not met.
Alternatives ShapeRules::negation(const Conjunction& facts, const std::string& type) {
    Alternatives any;
    for (const Json* fact : facts) {
        const Alternatives& one = negation_of_fact(*fact, type);
        any.insert(any.end(), one.begin(), one.end());
    }
    return any;
}

// Negation of a disjunction: none of the alternatives is met.
Alternatives ShapeRules::negation(const Alternatives& alternatives, const std::string& type) {
    Alternatives none{{}};
    for (const Conjunction& facts : alternatives) none = all_of(none, negation(facts, type));
    return none;
}

const Alternatives& ShapeRules::negation_of_fact(const Json& fact, const std::string& type) {
    const auto [place, added] = negations_of_alternatives_.try_emplace({&fact, type});
    if (added)
        type == "object" ? negate_object(fact, place->second) : negate_array(fact, place->second);
    return place->second;
}

const Json& ShapeRules::negation_of(const Json& schema) {
    const auto [place, added] = negations_.try_emplace(&schema, nullptr);
    if (added)
        place->second = &document_->keep(
            schema.is_boolean() ? Json(!schema.get<bool>()) : Json{{"not", document_->at(schema)}});
    return *place->second;
}

// An object fails if a required member is missing, if the value of a member fails, or if there are
// too few or too many members.
void ShapeRules::negate_object(const Json& schema, Alternatives& any) {
    const ObjectFact& fact = facts_.object(schema);
    const auto add = [&](ObjectFact made) {
        made.silent = true;
        any.push_back({&facts_.add(std::move(made))});
    };
    for (const std::string& name : fact.required) add({.named = {{name, &no}}});
    for (const auto& [name, value] : fact.named)
        add({.named = {{name, &negation_of(*value)}}, .required = {name}});
    const auto some_fails = [&](const KeyRule& rule) {
        if (*rule.value != yes) add({.needs = {{rule.keys, &negation_of(*rule.value)}}});
    };
    for (const KeyRule& rule : fact.patterns) some_fails(rule);
    if (fact.others != nullptr) some_fails({fact.other_keys(), fact.others});
    for (const KeyRule& rule : fact.each) some_fails(rule);
    for (const KeyRule& rule : fact.needs) add({.each = {{rule.keys, &negation_of(*rule.value)}}});
    if (fact.least > 0) add({.most = fact.least - 1});
    if (fact.most >= 0) add({.least = fact.most + 1});
}

// An array fails if it is too short or too long, if a certain item fails, or if some item fails.
void ShapeRules::negate_array(const Json& schema, Alternatives& any) {
    const ArrayFact& fact = facts_.array(schema);
    const auto add = [&](ArrayFact made) {
        made.silent = true;
        any.push_back({&facts_.add(std::move(made))});
    };
    if (fact.least > 0) add({.most = fact.least - 1});
    if (fact.most >= 0) add({.least = fact.most + 1});
    if (fact.unique) add({.repeats = true});
    if (fact.repeats) add({.unique = true});
    std::vector<const Json*> prefix;
    for (const Json* item : fact.prefix) {
        prefix.push_back(&negation_of(*item));
        add({.prefix = prefix, .least = std::ssize(prefix)});
        prefix.back() = &yes;
    }
    if (fact.rest != nullptr)
        add({.counts = {{&negation_of(*fact.rest), std::ssize(prefix), 1, -1}}});
    for (const ItemCount& c : fact.counts) {
        if (c.least > 0) add({.counts = {{c.value, c.from, 0, c.least - 1}}});
        if (c.most >= 0) add({.counts = {{c.value, c.from, c.most + 1, -1}}});
    }
}

// For each part: the part and the negation of all other parts. Alternatives that cannot hold at the
// same time need no negation; if none can, oneOf equals anyOf.
Alternatives ShapeRules::only_one(const Json& schema, const std::string& type) {
    std::vector<Alternatives> parts;
    for (const Json& part : schema.at("oneOf")) parts.push_back(of(part, type));
    // The schema's other keywords hold for all parts; they may rule out combinations of parts.
    const Conjunction own = facts_.constrains(schema, type) ? Conjunction{&schema} : Conjunction{};
    Alternatives any;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (const Conjunction& facts : parts[i]) {
            const Conjunction known = join(facts, own);
            Alternatives alone{facts};
            for (std::size_t j = 0; j < parts.size(); ++j) {
                Alternatives beside = i == j ? Alternatives{} : parts[j];
                std::erase_if(beside, [&](const Conjunction& other) {
                    return impossible_shape(join(known, other), type, 0);
                });
                alone = all_of(alone, negation(beside, type));
            }
            any.insert(any.end(), alone.begin(), alone.end());
        }
    }
    return any;
}

// if A then B else C: (A and B) or (not A and C).
Alternatives ShapeRules::conditional(const Json& schema, const std::string& type) {
    const Alternatives& condition = of(schema.at("if"), type);
    const auto branch = [&](const char* keyword) {
        return schema.contains(keyword) ? of(schema.at(keyword), type) : Alternatives{{}};
    };
    Alternatives either = all_of(condition, branch("then"));
    const Alternatives rest = all_of(negation(condition, type), branch("else"));
    either.insert(either.end(), rest.begin(), rest.end());
    return either;
}

// If a key is present, what depends on it must hold: further members, or a schema for the whole
// object.
Alternatives ShapeRules::dependent(const Json& dependencies) {
    Alternatives result{{}};
    for (const auto& [key, needs] : dependencies.items()) {
        Json present = {{"required", Json::array({key})}};
        if (needs.is_array())
            for (const Json& name : needs) present["required"].push_back(name);
        Alternatives one = of(document_->keep(std::move(present)), "object");
        if (!needs.is_array()) one = all_of(one, of(needs, "object"));
        one.push_back({&facts_.add(ObjectFact{.named = {{key, &no}}, .silent = true})});
        result = all_of(result, one);
    }
    return result;
}

// Adds unevaluatedProperties or unevaluatedItems: for each alternative it is known what its facts
// evaluate.
Alternatives ShapeRules::without_rest(const Json& schema, Alternatives alternatives,
                                      const std::string& type) {
    const char* const keyword = type == "object" ? "unevaluatedProperties" : "unevaluatedItems";
    if (!schema.contains(keyword)) return alternatives;
    for (Conjunction& facts : alternatives) {
        const Json& value = schema.at(keyword);
        facts = join(facts, {type == "object" ? &rest_of_object(facts, value)
                                              : &rest_of_array(schema, facts, value)});
    }
    return alternatives;
}

const Json& ShapeRules::rest_of_object(const Conjunction& facts, const Json& value) {
    Dfa evaluated;
    for (const Json* f : facts) evaluated = evaluated | facts_.object(*f).evaluated();
    return facts_.add(ObjectFact{.each = {{complement(evaluated), &value}}, .complete = true});
}

const Json& ShapeRules::rest_of_array(const Json& schema, const Conjunction& facts,
                                      const Json& value) {
    ArrayFact made{.complete = true};
    std::size_t prefix = 0;
    Json items = Json::array({document_->at(value)});
    const bool contains_counts =
        document_->draft_of(schema) == 0 || document_->draft_of(schema) >= 2020;
    bool complete = false;
    for (const Json* f : facts) {
        const ArrayFact& fact = facts_.array(*f);
        complete = complete || fact.complete;
        if (fact.silent) continue;
        prefix = std::max(prefix, fact.prefix.size());
        if (contains_counts && f->contains("contains"))
            items.push_back(document_->at(f->at("contains")));
    }
    if (!complete) {
        made.prefix.assign(prefix, &yes);
        made.rest = &document_->keep({{"anyOf", items}});
    }
    return facts_.add(std::move(made));
}

// ---- arrays whose items are all different ----

namespace {

using Listed = std::optional<std::vector<const Json*>>;
constexpr int max_levels = 16;  // nesting of subschemas
constexpr std::size_t max_values = 256;
// Near the end of a budget, a completion with `least` items is built after each value of each item.
constexpr double max_distinct_nodes = 1.5e6, blank_nodes = 16;

void add_once(std::vector<const Json*>& values, const Json* value) {
    const auto same = [&](const Json* v) { return *v == *value; };
    if (std::none_of(values.begin(), values.end(), same)) values.push_back(value);
}

void narrow(Listed& to, const Listed& by) {
    if (by && (!to || by->size() < to->size())) to = by;
}

// The values of a schema that allows nothing but null, true and false.
Listed words(const SchemaDocument& document, const Json& schema) {
    static const Json null;
    if (!schema.contains("type")) return std::nullopt;
    for (const char* type : {"string", "number", "integer", "object", "array"})
        if (type_allows(document, schema, type)) return std::nullopt;
    std::vector<const Json*> values;
    if (type_allows(document, schema, "boolean")) values = {&no, &yes};
    if (type_allows(document, schema, "null")) values.push_back(&null);
    return values;
}

Listed listed(SchemaDocument& document, const Json& schema, int depth) {
    if (schema.is_boolean())
        return schema.get<bool>() ? Listed() : Listed(std::vector<const Json*>());
    if (depth == max_levels) return std::nullopt;
    document.check(schema);
    Listed found;
    for (const Json* target : document.references(schema))
        narrow(found, listed(document, *target, depth + 1));
    if (document.ignores_siblings(schema)) return found;
    bool restricted = false;
    const std::vector<const Json*> own = listed_values(schema, restricted);
    if (restricted) {
        std::vector<const Json*> once;
        for (const Json* v : own) add_once(once, v);
        narrow(found, once);
    }
    narrow(found, words(document, schema));
    if (schema.contains("allOf"))
        for (const Json& part : schema.at("allOf"))
            narrow(found, listed(document, part, depth + 1));
    for (const char* any : {"anyOf", "oneOf"}) {
        if (!schema.contains(any)) continue;
        Listed all = std::vector<const Json*>();
        for (const Json& part : schema.at(any)) {
            const Listed some = listed(document, part, depth + 1);
            if (!some) all.reset();
            if (!all) break;
            for (const Json* v : *some) add_once(*all, v);
        }
        narrow(found, all);
    }
    return found;
}

std::vector<const Json*> kinds_of_values(SchemaDocument& document) {
    std::vector<const Json*> kinds;
    const auto add = [&](Json kind) { kinds.push_back(&document.keep(std::move(kind))); };
    for (const Json& word : {Json(), Json(false), Json(true)}) add({{"const", word}});
    add({{"type", "array"}});
    add({{"type", "object"}});
    // Kinds of strings: by the first letter or digit.
    add({{"type", "string"}, {"maxLength", 0}});
    const auto beginning = [&](const std::string& with) {
        add({{"type", "string"}, {"pattern", "^[" + with + "]"}});
    };
    for (char c = 'a'; c <= 'z'; ++c) beginning({c, static_cast<char>(c - 'a' + 'A')});
    for (char c = '0'; c <= '9'; ++c) beginning({c});
    beginning("^a-zA-Z0-9");
    // Kinds of numbers: by size, since 5 and 5.0 are the same value.
    add({{"type", "number"}, {"exclusiveMaximum", 0}});
    for (int step = 1; step <= 10; step *= 10)
        for (int from = step == 1 ? 0 : step; from < 10 * step; from += step)
            add({{"type", "number"}, {"minimum", from}, {"exclusiveMaximum", from + step}});
    add({{"type", "number"}, {"minimum", 100}});
    return kinds;
}

}  // namespace

std::vector<Conjunction> ShapeRules::distinct_items(const ArrayPlan& plan, const Conjunction& facts,
                                                    bool& by_kind) {
    Listed values;
    for (const Json* schema : plan.rest) narrow(values, listed(*document_, *schema, 0));
    const bool few = values && values->size() <= max_values;
    by_kind = !few;
    const std::string otherwise =
        "is generated only for items with a list of at most 256 values (enum, const or boolean), "
        "without prefixItems and contains; list the values, or leave it out";
    if (!plan.prefix.empty() || !plan.counts.empty())
        document_->unsupported(*facts[0], "uniqueItems", otherwise);
    if (!few)
        document_->tell(*facts[0], "uniqueItems", "", otherwise,
                        "without a list of values: at most one item of each kind is generated "
                        "(strings by first letter, numbers by size, one object, one array)");
    if (!few && kinds_.empty()) kinds_ = kinds_of_values(*document_);
    std::vector<Conjunction> items;
    const auto add = [&](const Json& one) {
        Conjunction item = join(plan.rest, {&one});
        if (!impossible(item)) items.push_back(std::move(item));
    };
    if (few)
        for (const Json* v : *values) add(document_->keep({{"const", *v}}));
    else
        for (const Json* kind : kinds_) add(*kind);
    const auto n = static_cast<double>(few ? values->size() : items.size());
    if (n * n * (n + blank_nodes) * static_cast<double>(plan.least) > max_distinct_nodes)
        document_->unsupported(*facts[0], "minItems",
                               "is too large for so many values that must all be different; list "
                               "fewer values, or ask for fewer items");
    return items;
}

}  // namespace tbt
