// A plain validator for JSON Schema: does a finished value meet the schema?
//
// It knows the keywords that most schemas use. compile_schema (schema.hpp) knows the others too and
// checks a text while it is being written; it accepts the same values.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/json/json.hpp"

namespace tbt {

inline bool has_type(const Json& value, const std::string& type) {
    if (type != "integer") return value.type_name() == type;
    return value.is_number() && std::floor(value.get<double>()) == value.get<double>();
}

// Empty if the value meets the schema. Otherwise the first place that violates it, and the keyword:
// "/likes/0: maxLength".
inline std::string plain_fault(const Json& value, const Json& schema, std::string place = "") {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : place + ": false";
    const auto says = [&](const char* keyword) { return schema.contains(keyword); };
    const auto outside = [&](double x, const char* least, const char* most) {
        const bool low = says(least) && x < schema[least].get<double>();
        const bool high = says(most) && x > schema[most].get<double>();
        return low ? place + ": " + least : high ? place + ": " + most : "";
    };
    const auto meets = [&](const Json& one) { return plain_fault(value, one).empty(); };
    const auto is_value = [&](const Json& one) { return one == value; };
    const auto any = [](const Json& all, const auto& is) {
        return std::any_of(all.begin(), all.end(), is);
    };
    if (says("type") && !has_type(value, schema["type"].text())) return place + ": type";
    if (says("enum") && !any(schema["enum"], is_value)) return place + ": enum";
    if (says("anyOf") && !any(schema["anyOf"], meets)) return place + ": anyOf";
    if (value.is_number()) return outside(value, "minimum", "maximum");
    std::string fault;
    if (value.is_string()) {  // characters, not bytes
        const auto& text = value.text();
        const auto first = [](char c) { return (c & 0xC0) != 0x80; };
        const auto length = std::count_if(text.begin(), text.end(), first);
        fault = outside(static_cast<double>(length), "minLength", "maxLength");
    } else if (value.is_array()) {
        fault = outside(static_cast<double>(value.size()), "minItems", "maxItems");
        for (std::size_t i = 0; i < value.size() && fault.empty() && says("items"); ++i)
            fault = plain_fault(value[i], schema["items"], place + "/" + std::to_string(i));
    } else if (value.is_object()) {
        for (const Json& name : schema.value("required", Json::array()))
            if (!value.contains(name.text())) return place + ": required " + json_text(name);
        const Json named = schema.value("properties", Json::object());
        const Json others = schema.value("additionalProperties", Json(true));
        for (auto m = value.begin(); m != value.end() && fault.empty(); ++m)
            fault = plain_fault(*m, named.value(m.key(), others), place + "/" + m.key());
    }
    return fault;
}

}  // namespace tbt
