// Texts that a schema takes and refuses, and a second validator of the shipped schemas.
#pragma once

#include <cmath>

#include "lib/machine/files.hpp"
#include "tests/support/schemas.hpp"

namespace tbt::testing {

using nlohmann::json;

struct Case {
    std::string schema;
    Texts yes, no;
};

inline void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        SchemaValidator validator(c.schema, quiet());
        check_takes(
            c.schema, [&](const std::string& text) { return validator.valid(text); }, c.yes, c.no);
    }
}

// The refusal is of this keyword, and says each of these.
inline void check_refused(const std::string& schema, const std::string& keyword,
                          const std::vector<std::string>& said, const SchemaOptions& options = {}) {
    INFO(schema);
    try {
        compile_schema(schema, options);
        FAIL("compiled");
    } catch (const UnsupportedSchema& e) {
        CHECK(e.keyword() == keyword);
        for (const std::string& part : said) CHECK_THAT(e.what(), Catch::Contains(part));
    }
}

// The keywords of the shipped schemas, once more and the other way round:
// a value in hand, asked what is wrong with it.
inline bool meets(const json& schema, const json& value, const json& root) {
    if (schema.is_boolean()) return schema.get<bool>();
    if (schema.contains("$ref"))
        return meets(root.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1))),
                     value, root);
    if (schema.contains("type")) {
        const std::string type = schema["type"];
        if (type == "object" && !value.is_object()) return false;
        if (type == "array" && !value.is_array()) return false;
        if (type == "string" && !value.is_string()) return false;
        if (type == "boolean" && !value.is_boolean()) return false;
        if (type == "integer" && !value.is_number_integer()) return false;
        if (type == "number" && !value.is_number()) return false;
    }
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
        return false;
    if (value.is_number()) {
        const double x = value;
        if (schema.contains("minimum") && x < schema["minimum"].get<double>()) return false;
        if (schema.contains("maximum") && x > schema["maximum"].get<double>()) return false;
        // Halves are exact in binary.
        if (schema.contains("multipleOf") && std::fmod(x, schema["multipleOf"].get<double>()) != 0)
            return false;
    }
    if (value.is_string()) {
        const std::string text = value;
        const auto length =
            std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
        if (length < schema.value("minLength", 0) || length > schema.value("maxLength", 1 << 20))
            return false;
        if (schema.contains("pattern")) {  // ^[A-Z][a-z]+$
            if (text.size() < 2 || text[0] < 'A' || text[0] > 'Z') return false;
            if (!std::all_of(text.begin() + 1, text.end(),
                             [](char c) { return c >= 'a' && c <= 'z'; }))
                return false;
        }
        if (schema.contains("format")) {  // date
            int y = 0, m = 0, d = 0;
            if (text.size() != 10 || std::sscanf(text.c_str(), "%4d-%2d-%2d", &y, &m, &d) != 3 ||
                m < 1 || m > 12 || d < 1)
                return false;
            const bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
            const int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
            if (d > days[m - 1]) return false;
        }
    }
    if (value.is_object()) {
        for (const json& name : schema.value("required", json::array())) {
            if (!value.contains(name.get<std::string>())) return false;
        }
        for (const auto& [key, member] : value.items()) {
            const bool known = schema.contains("properties") && schema["properties"].contains(key);
            if (!known && schema.value("additionalProperties", true) == false) return false;
            if (known && !meets(schema["properties"][key], member, root)) return false;
        }
    }
    if (value.is_array()) {
        if (value.size() < schema.value("minItems", 0u) ||
            value.size() > schema.value("maxItems", 1u << 20))
            return false;
        for (const json& item : value) {
            if (schema.contains("items") && !meets(schema["items"], item, root)) return false;
        }
    }
    return true;
}

}  // namespace tbt::testing
