// Random schemas of the kinds that are published (objects with members and bounds, arrays, enums,
// patterns, formats, alternatives, negation, references), and small random values to try on them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lib/core/rng.hpp"

namespace tbt::testing {

class RandomSchema {
public:
    explicit RandomSchema(std::uint64_t seed) : rng_(seed) {}

    nlohmann::json root() {
        json schema = sub(0);
        if (!schema.is_object()) schema = json::object();
        if (one_in(3)) schema["$defs"] = {{"d", sub(1)}, {"e", sub(2)}};
        else schema["$defs"] = {{"d", {{"type", "integer"}}}, {"e", {{"type", "null"}}}};
        return schema;
    }

    // A value of few members, items and letters.
    nlohmann::json value(int depth = 0) {
        static const json scalars = json::parse(
            R"([null, true, false, 0, 1, 2, 3, 5, -1, 1.5, 7, 10, "", "a", "b", "ab", "x1", "abc",
                "b-2", "2024-02-29", "caaa", "10.0.0.1"])");
        const auto kind = rng_.below(depth > 2 ? 3 : 7);
        if (kind < 3) return pick(scalars);
        json made = kind == 3 ? json::array() : json::object();
        for (std::uint64_t n = rng_.below(5); n > 0; --n) {
            if (kind == 3) made.push_back(value(depth + 1));
            else made[key()] = value(depth + 1);
        }
        return made;
    }

private:
    using json = nlohmann::json;

    bool one_in(std::uint64_t n) { return rng_.below(n) == 0; }
    int number(int low, int high) {
        return low + static_cast<int>(rng_.below(static_cast<std::uint64_t>(high - low + 1)));
    }
    json pick(const json& list) { return list[rng_.below(list.size())]; }
    std::string key() { return pick(json::parse(R"(["a","b","c","d","x1","x2","yy"])")); }

    json sub(int depth) {
        if (one_in(14)) return pick(json::parse(R"([true, true, {}, false])"));
        if (one_in(12)) return {{"$ref", pick(json::parse(R"(["#/$defs/d","#/$defs/e","#"])"))}};
        json schema = json::object();
        const std::string type = pick(json::parse(
            R"(["object","object","object","object","array","array","string","string","number",
                "integer","boolean","null"])"));
        if (one_in(8))
            schema["type"] = json::array({type, pick(json::parse(R"(["null","string"])"))});
        else if (!one_in(6)) schema["type"] = type;
        if (type == "string" || one_in(12)) strings(schema);
        if (type == "number" || type == "integer" || one_in(12)) numbers(schema);
        if (depth < 3 && (type == "array" || one_in(12))) arrays(schema, depth);
        if (depth < 3 && (type == "object" || one_in(12))) objects(schema, depth);
        if (one_in(12))
            schema["enum"] = pick(json::parse(R"([["a","b"],[1,2,"x1"],[null,{"a":1}],[[1],5]])"));
        if (one_in(16)) schema["const"] = pick(json::parse(R"([1,"a",{"a":"b"},[],{}])"));
        if (depth < 3) combine(schema, depth);
        return schema;
    }
    void strings(json& s) {
        if (one_in(3)) s["minLength"] = number(0, 3);
        if (one_in(3)) s["maxLength"] = number(0, 6);
        if (one_in(4))
            s["pattern"] = pick(json::parse(R"(["^a","^[a-c]+$","b","^x[0-9]$","^.{1,3}$"])"));
        if (one_in(8)) s["format"] = pick(json::parse(R"(["date","uuid","ipv4","email"])"));
    }
    void numbers(json& s) {
        if (one_in(3)) s["minimum"] = number(-3, 5);
        if (one_in(3)) s["maximum"] = number(0, 12);
        if (one_in(8)) s["exclusiveMinimum"] = number(-1, 3);
        if (one_in(8)) s["multipleOf"] = pick(json::parse("[1,2,0.5,5]"));
    }
    void arrays(json& s, int depth) {
        if (!one_in(3)) s["items"] = sub(depth + 1);
        if (one_in(6)) s["prefixItems"] = json::array({sub(depth + 1), sub(depth + 2)});
        if (one_in(3)) s["minItems"] = number(0, 2);
        if (one_in(3)) s["maxItems"] = number(0, 4);
        if (one_in(8)) s["uniqueItems"] = true;
        if (one_in(8)) {
            s["contains"] = sub(depth + 2);
            if (one_in(2)) s["minContains"] = number(0, 2);
            if (one_in(2)) s["maxContains"] = number(0, 2);
        }
        if (one_in(20)) s["unevaluatedItems"] = sub(depth + 2);
    }
    void objects(json& s, int depth) {
        for (const char* name : {"a", "b", "c", "d"})
            if (one_in(2)) s["properties"][name] = sub(depth + 1);
        for (const char* name : {"a", "b", "c", "yy"})
            if (one_in(5)) s["required"].push_back(name);
        if (one_in(3)) s["additionalProperties"] = one_in(2) ? json(false) : sub(depth + 1);
        if (one_in(8))
            s["patternProperties"][pick(json::parse(R"(["^x","[0-9]$","^y+$"])"))] = sub(depth + 1);
        if (one_in(10))
            s["propertyNames"] = pick(
                json::parse(R"([{"pattern":"^[a-d]$"},{"maxLength":2},{"enum":["a","b","x1"]},)"
                            R"({"minLength":1}])"));
        if (one_in(5)) s["minProperties"] = number(0, 3);
        if (one_in(5)) s["maxProperties"] = number(0, 4);
        if (one_in(14)) s["dependentRequired"] = {{"a", {"b"}}};
        if (one_in(20)) s["dependentSchemas"] = {{"b", sub(depth + 2)}};
        if (one_in(20)) s["unevaluatedProperties"] = one_in(2) ? json(false) : sub(depth + 2);
    }
    void combine(json& s, int depth) {
        for (const char* keyword : {"anyOf", "oneOf", "allOf"})
            if (one_in(9)) s[keyword] = json::array({sub(depth + 1), sub(depth + 1)});
        if (one_in(14)) s["not"] = sub(depth + 2);
        if (one_in(20))
            s["if"] = sub(depth + 2), s["then"] = sub(depth + 2), s["else"] = sub(depth + 2);
    }

    Rng rng_;
};

}  // namespace tbt::testing
