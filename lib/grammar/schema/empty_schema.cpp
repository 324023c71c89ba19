#include "lib/grammar/schema/empty_schema.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "lib/index.hpp"

namespace tbt {

namespace {

std::string keywords_of(const Json& schema) {
    if (schema.is_boolean()) return "false";
    std::string all;
    for (const char* keyword : {"type",
                                "enum",
                                "const",
                                "minLength",
                                "maxLength",
                                "pattern",
                                "format",
                                "minimum",
                                "maximum",
                                "exclusiveMinimum",
                                "exclusiveMaximum",
                                "multipleOf",
                                "anyOf",
                                "oneOf",
                                "not",
                                "if",
                                "minProperties",
                                "maxProperties",
                                "minItems",
                                "maxItems"}) {
        if (schema.contains(keyword))
            all += (all.empty() ? "'" : ", '") + std::string(keyword) + "'";
    }
    return all;
}

}  // namespace

void EmptySchema::refuse(Demands demands) {
    std::set<Demands> seen{demands};
    while (true) {
        const Asked asked = asked_by(demands);
        if (asked.schema == nullptr) refuse_together(demands);
        const std::string says = std::string("'") + asked.keyword + "' asks for " + asked.what;
        if (asked.value.empty()) document_->wrong(*asked.schema, says);
        const auto is_false = [](const Json* schema) { return *schema == Json(false); };
        if (std::any_of(asked.value.begin(), asked.value.end(), is_false))
            document_->wrong(*asked.schema,
                             says + ", whose schema is false: nothing may stand there");
        if (!seen.insert(asked.value).second)
            document_->wrong(*asked.schema,
                             says +
                                 ", whose value asks for one like it again, without end; make "
                                 "it optional, or let it be null");
        demands = asked.value;
    }
}

// Of several, what the first place asks for: sets of schemas have no order of their own.
EmptySchema::Asked EmptySchema::asked_by(const Demands& demands) {
    std::map<std::string, Asked> by_place;
    const auto add = [&](const Asked& asked) {
        by_place.emplace(document_->path_of(*asked.schema), asked);
    };
    for (const Demands& facts : shapes_->of(demands, "object"))
        if (!facts.empty()) add(member_of(facts));
    for (const Demands& facts : shapes_->of(demands, "array"))
        if (!facts.empty() && by_place.empty()) add(item_of(facts));
    return by_place.empty() ? Asked{} : by_place.begin()->second;
}

// The first of them that has the keyword and says so.
const Json* EmptySchema::sayer_of(const Demands& facts, const char* keyword,
                                  const std::function<bool(const Json&)>& says) const {
    std::map<std::string, const Json*> by_place;
    for (const Json* fact : facts)
        if (fact->contains(keyword) && (!says || says(fact->at(keyword))))
            by_place.emplace(document_->path_of(*fact), fact);
    return by_place.empty() ? facts[0] : by_place.begin()->second;
}

EmptySchema::Asked EmptySchema::member_of(const Demands& facts) {
    const ObjectPlan plan = shapes_->facts().members(facts);
    for (const ObjectPlan::Member& m : plan.members) {
        if (!m.required || !is_empty_(m.value)) continue;
        const auto names = [&](const Json& all) {
            return std::find(all.begin(), all.end(), Json(m.name)) != all.end();
        };
        return {sayer_of(facts, "required", names), "required", "\"" + shown(m.name) + "\"",
                m.value};
    }
    return {
        sayer_of(facts, "minProperties"), "minProperties", "more members than there can be", {}};
}

EmptySchema::Asked EmptySchema::item_of(const Demands& facts) {
    const ArrayPlan plan = shapes_->facts().arrays(facts);
    for (const ItemCount& c : plan.counts)
        if (c.least > 0 && is_empty_({c.value}))
            return {sayer_of(facts, "contains"), "contains", "an item", {c.value}};
    for (long long i = 0; i < plan.least && i <= std::ssize(plan.prefix); ++i) {
        const Demands& item = i < std::ssize(plan.prefix) ? at(plan.prefix, to_int(i)) : plan.rest;
        if (is_empty_(item)) return {sayer_of(facts, "minItems"), "minItems", "an item", item};
    }
    return {sayer_of(facts, "minItems"), "minItems", "more items than there can be", {}};
}

// Nothing inside is asked for: what is said of this value itself contradicts itself.
void EmptySchema::refuse_together(const Demands& demands) {
    std::vector<const Json*> open = demands;
    std::set<const Json*> seen;
    std::map<std::string, const Json*> sayers;  // by their places
    while (!open.empty()) {
        const Json* schema = open.back();
        open.pop_back();
        if (!seen.insert(schema).second) continue;
        if (!keywords_of(*schema).empty() && *schema != Json(true))
            sayers.emplace(document_->path_of(*schema), schema);
        if (!schema->is_object()) continue;
        for (const Json* target : document_->references(*schema)) open.push_back(target);
        if (!schema->contains("allOf")) continue;
        for (const Json& part : schema->at("allOf")) open.push_back(&part);
    }
    if (sayers.empty()) document_->wrong(*demands[0], "no value can be written that meets this");
    const Json* first = nullptr;
    std::string others;
    for (const auto& [place, schema] : sayers) {
        if (first == nullptr) first = schema;
        else others += " beside " + keywords_of(*schema) + " of " + place;
    }
    document_->wrong(
        *first, keywords_of(*first) + shown(others) + ": no value can be written that meets this");
}

}  // namespace tbt
