// Schemas as people write them, drawn from a seed: for the distribution of the budget,
// and for the bench.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lib/core/rng.hpp"

namespace tbt::testing {

using OrderedSchema = nlohmann::ordered_json;

class SchemaMaker {
public:
    explicit SchemaMaker(std::uint64_t seed) : rng_(seed) {}

    // members: of the outermost object, about.
    OrderedSchema object(int members, int depth = 2) {
        OrderedSchema s = {{"type", "object"}, {"properties", OrderedSchema::object()}};
        OrderedSchema required = OrderedSchema::array();
        const std::uint64_t often = rng_.below(4);  // how many of them are required
        for (int i = 0; i < members; ++i) {
            const std::string key = name(i);
            s["properties"][key] = value(depth);
            if (rng_.below(4) < often) required.push_back(key);
        }
        if (!required.empty()) s["required"] = required;
        const std::uint64_t open = rng_.below(6);
        if (open > 1) s["additionalProperties"] = false;
        if (open == 1) s["additionalProperties"] = scalar();
        const std::uint64_t more = rng_.below(9);
        if (more == 0) s["patternProperties"] = {{"^x-", scalar()}};
        if (more == 1 && open > 1 && members > 3) s["minProperties"] = 1 + rng_.below(3);
        return s;
    }
    OrderedSchema value(int depth) {
        const std::uint64_t kind = rng_.below(depth > 0 ? 12 : 7);
        if (kind < 7) return scalar();
        if (kind < 9) return object(1 + static_cast<int>(rng_.below(5)), depth - 1);
        if (kind < 11) return array(depth);
        return {{"anyOf", {object(1 + static_cast<int>(rng_.below(3)), depth - 1), scalar()}}};
    }
    OrderedSchema array(int depth) {
        OrderedSchema s = {{"type", "array"}, {"items", value(depth - 1)}};
        if (rng_.below(2) == 0) s["minItems"] = rng_.below(4);
        if (rng_.below(2) == 0) s["maxItems"] = 4 + rng_.below(5);
        return s;
    }
    OrderedSchema scalar() {
        switch (rng_.below(10)) {
            case 0:
                return {{"type", "integer"}, {"minimum", 1 + rng_.below(50)}, {"maximum", 4000}};
            case 1:
                return {{"type", "number"}, {"exclusiveMinimum", 0}};
            case 2:
                return {{"type", "boolean"}};
            case 3:
                return {{"type", {"string", "null"}}, {"maxLength", 5 + rng_.below(30)}};
            case 4:
                return {{"type", "string"}, {"minLength", 1 + rng_.below(9)}};
            case 5:
                return {{"enum", {word(), word() + "_" + word(), 5, nullptr}}};
            case 6:
                return {{"type", "string"}, {"pattern", "^[a-z]{2,8}(-[0-9]+)?$"}};
            case 7:
                return {{"const", word()}};
            case 8:
                return {{"type", "string"}, {"format", rng_.below(2) == 0 ? "date" : "uuid"}};
            default:
                return {{"type", "string"}};
        }
    }
    Rng& rng() { return rng_; }

private:
    std::string word() {
        static const char* const words[] = {"name", "port",  "host", "user",  "id",    "type",
                                            "kind", "state", "path", "image", "label", "count",
                                            "size", "url",   "tag",  "level", "mode",  "owner"};
        return words[rng_.below(std::size(words))];
    }
    // Distinct by their number; many begin alike.
    std::string name(int i) {
        const std::string first = word();
        return rng_.below(3) == 0 ? first + std::to_string(i)
                                  : first + "_" + word() + (i > 8 ? std::to_string(i) : "");
    }

    Rng rng_;
};

}  // namespace tbt::testing
