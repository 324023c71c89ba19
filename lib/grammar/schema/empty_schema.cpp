#include "lib/grammar/schema/empty_schema.hpp"

#include <map>
#include <set>
#include <string>

#include "lib/core/index.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

using IsEmpty = std::function<bool(const Conjunction&)>;

// A keyword that requires a member or an item, and the demands on that value.
struct Asked {
    Conjunction by;
    const char* keyword = nullptr;
    std::string what;
    Conjunction value;
};

Asked member_of(const ObjectPlan& plan, const Conjunction& facts, const IsEmpty& is_empty) {
    for (const ObjectPlan::Member& m : plan.members)
        if (m.required && is_empty(m.value))
            return {facts, "required", "\"" + shown(m.name) + "\"", m.value};
    return {facts, "minProperties", "more members than there can be", {}};
}

Asked item_of(const ArrayPlan& plan, const Conjunction& facts, const IsEmpty& is_empty) {
    for (const ItemCount& c : plan.counts)
        if (c.least > 0 && is_empty({c.value})) return {facts, "contains", "an item", {c.value}};
    for (long long i = 0; i < plan.least && i <= std::ssize(plan.prefix); ++i) {
        const Conjunction& item =
            i < std::ssize(plan.prefix) ? at(plan.prefix, to_int(i)) : plan.rest;
        if (is_empty(item)) return {facts, "minItems", "an item", item};
    }
    return {facts, "minItems", "more items than there can be", {}};
}

// The schema with the keyword (null: any schema) whose path comes first: pointers have no useful
// order.
const Json& first_of(const SchemaDocument& document, const Conjunction& demands,
                     const char* keyword) {
    std::map<std::string, const Json*> by_place;
    for (const Json* schema : demands)
        if (keyword == nullptr || schema->contains(keyword))
            by_place.emplace(document.path_of(*schema), schema);
    return by_place.empty() ? *demands[0] : *by_place.begin()->second;
}

// The keywords with which the schema itself restricts a value, for messages.
std::string keywords_of(const Json& schema) {
    static const std::set<std::string> silent = {"$ref",        "$at",    "$id",         "$schema",
                                                 "$defs",       "allOf",  "definitions", "title",
                                                 "description", "$silent"};
    if (schema.is_boolean()) return "false";
    std::string all;
    for (const auto& [key, value] : schema.items())
        if (silent.count(key) == 0) all += (all.empty() ? "'" : ", '") + shown(key) + "'";
    return all;
}

// These schemas, and those that they refer to or have in allOf.
Conjunction together(SchemaDocument& document, Conjunction open) {
    std::set<const Json*> seen;
    while (!open.empty()) {
        const Json* schema = open.back();
        open.pop_back();
        if (*schema == Json(true) || !seen.insert(schema).second || !schema->is_object()) continue;
        for (const Json* target : document.references(*schema)) open.push_back(target);
        if (schema->contains("allOf"))
            for (const Json& part : schema->at("allOf")) open.push_back(&part);
    }
    std::erase_if(seen, [](const Json* s) { return keywords_of(*s).empty(); });
    return {seen.begin(), seen.end()};
}

}  // namespace

void refuse_empty_schema(SchemaDocument& document, ShapeRules& shapes, const IsEmpty& is_empty,
                         Conjunction demands) {
    std::set<Conjunction> seen{demands};
    while (true) {
        std::map<std::string, Asked> by_place;
        const auto add = [&](Asked asked) {
            asked.by = {&first_of(document, asked.by, asked.keyword)};
            by_place.emplace(document.path_of(*asked.by[0]), std::move(asked));
        };
        for (const Conjunction& facts : shapes.of(demands, "object"))
            if (!facts.empty()) add(member_of(shapes.facts().members(facts), facts, is_empty));
        for (const Conjunction& facts : shapes.of(demands, "array"))
            if (!facts.empty()) add(item_of(shapes.facts().arrays(facts), facts, is_empty));
        if (by_place.empty()) break;
        const Asked& asked = by_place.begin()->second;
        const Json& by = *asked.by[0];
        const std::string says = std::string("'") + asked.keyword + "' asks for " + asked.what;
        if (asked.value.empty()) document.wrong(by, says);
        for (const Json* schema : asked.value)
            if (*schema == Json(false))
                document.wrong(by, says + ", whose schema is false: no value is allowed there");
        if (!seen.insert(asked.value).second)
            document.wrong(by, says +
                                   ", whose value requires another one inside, without end; make "
                                   "it optional, or let it be null");
        demands = asked.value;
    }
    // No part of the value is the cause: the demands on the value itself contradict each other.
    const Conjunction all = together(document, demands);
    const Json& first = first_of(document, all.empty() ? demands : all, nullptr);
    std::set<std::string> others;
    for (const Json* schema : all)
        if (schema != &first)
            others.insert(" beside " + keywords_of(*schema) + " of " + document.path_of(*schema));
    std::string beside;
    for (const std::string& other : others) beside += other;
    document.wrong(first, keywords_of(first) + shown(beside) + ": no value satisfies this");
}

}  // namespace tbt
