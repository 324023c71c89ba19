// Saying no: the objects or arrays that do not meet a schema, said without "not". What makes oneOf, not, if and
// dependent… exact.
#include "chapters/14_guided/schema_shapes.hpp"

namespace tbt {

// Not all of them: one of them is not met. Nothing: it cannot be said.
std::optional<Alternatives> ShapeRules::denied(const Demands& facts, const std::string& type) {
    Alternatives any;
    for (const Json* fact : facts) {
        const std::optional<Alternatives>& one = denied_fact(*fact, type);
        if (!one) return std::nullopt;
        any.insert(any.end(), one->begin(), one->end());
    }
    return any;
}

// None of the alternatives.
std::optional<Alternatives> ShapeRules::denied(const Alternatives& alternatives, const std::string& type) {
    Alternatives none{{}};
    for (const Demands& facts : alternatives) {
        const std::optional<Alternatives> without = denied(facts, type);
        if (!without) return std::nullopt;
        none = all_of(none, *without);
    }
    return none;
}

// An object fails when a required member is missing, or a named one is there and fails; an array when it is too
// short or too long, or an item at a certain place fails. "Some other member or item fails" has no such form.
const std::optional<Alternatives>& ShapeRules::denied_fact(const Json& fact, const std::string& type) {
    const auto [place, added] = denials_.try_emplace({&fact, type});
    if (!added) return place->second;
    const auto anything = [&](const char* keyword) {
        return !fact.contains(keyword) || fact.at(keyword) == Json(true) || fact.at(keyword) == Json::object();
    };
    Alternatives any;
    const auto add = [&](Json schema) { any.push_back({&document_->keep(std::move(schema))}); };
    if (type == "object") {
        if (!anything("additionalProperties")) return place->second;
        for (const std::string& name : required({&fact})) add({{"properties", {{name, false}}}});
        if (fact.contains("properties")) {
            for (const auto& [key, schema] : fact.at("properties").items())
                add({{"required", Json::array({key})}, {"properties", {{key, {{"not", schema}}}}}});
        }
    } else {
        const bool unique = fact.contains("uniqueItems") && fact.at("uniqueItems") == Json(true);
        if (!anything("items") || unique) return place->second;
        const long long least = least_items({&fact}), most = most_items({&fact});
        if (least > 0) add({{"maxItems", least - 1}});
        if (most >= 0) add({{"minItems", most + 1}});
        Json prefix = Json::array();
        for (std::size_t i = 0; i < longest_prefix({&fact}); ++i) {
            Json fails = prefix;
            fails.push_back({{"not", fact.at("prefixItems").at(i)}});
            add({{"minItems", i + 1}, {"prefixItems", fails}});
            prefix.push_back(true);
        }
    }
    return place->second = std::move(any);
}

// Where no two alternatives can hold at once, "one of" is "any of"; elsewhere each one is taken without the
// others.
Alternatives ShapeRules::only_one(const Json& schema, const std::string& type) {
    std::vector<Alternatives> parts;
    for (const Json& part : schema.at("oneOf")) parts.push_back(of(part, type));
    const auto apart = [&](const Alternatives& a, const Alternatives& b) {
        for (const Demands& both : all_of(a, b)) {
            if (!impossible_shape(both, type, 0)) return false;
        }
        return true;
    };
    Alternatives any;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Alternatives alone = parts[i];
        for (std::size_t j = 0; j < parts.size(); ++j) {
            if (i == j || apart(parts[i], parts[j])) continue;
            const std::optional<Alternatives> without = denied(parts[j], type);
            if (!without) {
                document_->unsupported(
                    schema, "oneOf",
                    "has alternatives " + std::to_string(std::min(i, j)) + " and " +
                        std::to_string(std::max(i, j)) + " that one " + type +
                        " might meet at once; use anyOf, or give each a required member with a const of its own");
            }
            alone = all_of(alone, *without);
        }
        any.insert(any.end(), alone.begin(), alone.end());
    }
    return any;
}

// if A then B else C: A and B, or C without A.
Alternatives ShapeRules::conditional(const Json& schema, const std::string& type) {
    const Alternatives& condition = of(schema.at("if"), type);
    const auto branch = [&](const char* keyword) {
        return schema.contains(keyword) ? of(schema.at(keyword), type) : Alternatives{{}};
    };
    const std::optional<Alternatives> otherwise = denied(condition, type);
    if (!otherwise)
        document_->unsupported(schema, "if",
                               "depends on all members or items of " + type +
                                   "s, which cannot be enforced; use anyOf with a const in each alternative");
    Alternatives either = all_of(condition, branch("then"));
    const Alternatives rest = all_of(*otherwise, branch("else"));
    either.insert(either.end(), rest.begin(), rest.end());
    return either;
}

// Where the key is there, so is what depends on it.
Alternatives ShapeRules::dependent(const Json& dependencies, bool names) {
    const auto [place, added] = dependent_.try_emplace(&dependencies, Alternatives{{}});
    if (!added) return place->second;
    Alternatives result{{}};
    for (const auto& [key, needs] : dependencies.items()) {
        Json present = {{"required", Json::array({key})}};
        if (names) {
            for (const Json& name : needs) present["required"].push_back(name);
        } else {
            present["allOf"] = Json::array({needs});
        }
        Alternatives one = of(document_->keep(std::move(present)), "object");
        one.push_back({&document_->keep({{"properties", {{key, false}}}})});
        result = all_of(result, one);
    }
    return place->second = result;
}

}  // namespace tbt
