// Negation: the objects or arrays that do not meet a schema, as alternatives without "not". They
// make oneOf, not, if and the dependent… keywords exact.
#include "lib/core/index.hpp"
#include "lib/grammar/schema/schema_shapes.hpp"

namespace tbt {

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
    const auto add = [&](Json made) {
        made["$silent"] = true;
        any.push_back({&document_->keep(std::move(made))});
    };
    for (const std::string& name : fact.required) add({{"properties", {{name, false}}}});
    for (const auto& [name, value] : fact.named)
        add({{"required", Json::array({name})},
             {"properties", {{name, document_->at(negation_of(*value))}}}});
    const auto opposite = [&](const KeyRule& rule, const char* keyword) {
        add({{keyword,
              {{"keys", facts_.store_keys(rule.keys)},
               {"value", document_->at(negation_of(*rule.value))}}}});
    };
    for (const KeyRule& rule : fact.patterns) opposite(rule, "$need");
    if (fact.others != nullptr) opposite({fact.other_keys(), fact.others}, "$need");
    for (const KeyRule& rule : fact.each) opposite(rule, "$need");
    for (const KeyRule& rule : fact.needs) opposite(rule, "$each");
    if (fact.least > 0) add({{"maxProperties", fact.least - 1}});
    if (fact.most >= 0) add({{"minProperties", fact.most + 1}});
}

// An array fails if it is too short or too long, if a certain item fails, or if some item fails.
void ShapeRules::negate_array(const Json& schema, Alternatives& any) {
    const ArrayFact& fact = facts_.array(schema);
    const auto add = [&](Json made) {
        made["$silent"] = true;
        any.push_back({&document_->keep(std::move(made))});
    };
    if (fact.least > 0) add({{"maxItems", fact.least - 1}});
    if (fact.most >= 0) add({{"minItems", fact.most + 1}});
    if (fact.unique) add({{"$repeats", true}});
    if (fact.repeats) add({{"uniqueItems", true}});
    Json prefix = Json::array();
    for (const Json* item : fact.prefix) {
        Json fails = prefix;
        fails.push_back(document_->at(negation_of(*item)));
        prefix.push_back(true);
        add({{"minItems", prefix.size()}, {"prefixItems", fails}});
    }
    const auto count = [&](const Json& value, std::size_t from, long long least, long long most) {
        add({{"$count",
              {{"value", document_->at(value)}, {"from", from}, {"min", least}, {"max", most}}}});
    };
    if (fact.rest != nullptr) count(negation_of(*fact.rest), fact.prefix.size(), 1, -1);
    for (const ItemCount& c : fact.counts) {
        const auto from = index(c.from);
        if (c.least > 0) count(*c.value, from, 0, c.least - 1);
        if (c.most >= 0) count(*c.value, from, c.most + 1, -1);
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
    const auto [place, added] = dependent_.try_emplace(&dependencies, Alternatives{{}});
    if (!added) return place->second;
    Alternatives result{{}};
    for (const auto& [key, needs] : dependencies.items()) {
        Json present = {{"required", Json::array({key})}};
        if (needs.is_array()) {
            for (const Json& name : needs) present["required"].push_back(name);
        } else {
            present["allOf"] = Json::array({document_->at(needs)});
        }
        Alternatives one = of(document_->keep(std::move(present)), "object");
        one.push_back({&document_->keep({{"properties", {{key, false}}}, {"$silent", true}})});
        result = all_of(result, one);
    }
    return dependent_[&dependencies] = result;
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
    const auto [place, added] = rests_.try_emplace({facts, &value}, nullptr);
    if (!added) return *place->second;
    Dfa evaluated;
    for (const Json* f : facts) evaluated = evaluated | facts_.object(*f).evaluated();
    const std::size_t rest = facts_.store_keys(complement(evaluated));
    return *(place->second =
                 &document_->keep({{"$each", {{"keys", rest}, {"value", document_->at(value)}}},
                                   {"$complete", true}}));
}

const Json& ShapeRules::rest_of_array(const Json& schema, const Conjunction& facts,
                                      const Json& value) {
    const auto [place, added] = rests_.try_emplace({facts, &value}, nullptr);
    if (!added) return *place->second;
    Json made = {{"$complete", true}}, prefix = Json::array(),
         items = Json::array({document_->at(value)});
    const bool contains_counts =
        document_->draft_of(schema) == 0 || document_->draft_of(schema) >= 2020;
    bool complete = false;
    for (const Json* f : facts) {
        const ArrayFact& fact = facts_.array(*f);
        complete = complete || fact.complete;
        if (fact.silent) continue;
        while (prefix.size() < fact.prefix.size()) prefix.push_back(true);
        if (contains_counts && f->contains("contains"))
            items.push_back(document_->at(f->at("contains")));
    }
    if (!complete) {
        if (!prefix.empty()) made["prefixItems"] = prefix;
        made["items"] = {{"anyOf", items}};
    }
    return *(place->second = &document_->keep(std::move(made)));
}

}  // namespace tbt
