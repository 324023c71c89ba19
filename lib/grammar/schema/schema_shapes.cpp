#include "lib/grammar/schema/schema_shapes.hpp"

#include <algorithm>

namespace tbt {

namespace {

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
    if (!type_allows(schema, type)) return {};
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

// Rewrites an array or object of `const` or `enum` as a schema with one `const` per item or member.
const Json& ShapeRules::demand_for(const Json& value) {
    const auto [place, added] = const_schemas_.try_emplace(&value, nullptr);
    if (added) {
        Json schema = {{"$silent", true}};
        if (value.is_object()) {
            schema["properties"] = Json::object();
            schema["required"] = Json::array();
            schema["additionalProperties"] = false;
            for (const auto& [key, member] : value.items()) {
                schema["properties"][key] = {{"const", member}};
                schema["required"].push_back(key);
            }
        } else {
            Json prefix = Json::array();
            for (const Json& item : value) prefix.push_back({{"const", item}});
            if (!prefix.empty()) schema["prefixItems"] = prefix;
            schema["items"] = false;
            schema["minItems"] = value.size();
        }
        place->second = &document_->keep(std::move(schema));
    }
    return *place->second;
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

}  // namespace tbt
