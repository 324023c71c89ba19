// A reader of JSON texts: a model's config.json, its vocabulary, the header of its weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tbt {

struct JsonValue {
    enum class Kind { null, boolean, number, string, array, object };

    Kind kind = Kind::null;
    bool flag = false;              // of a boolean
    double number = 0;              // of a number
    std::string text;               // of a string; of a number: as it is written
    std::vector<std::string> keys;  // of an object's members
    std::vector<JsonValue> items;   // of an array; of an object: the members' values

    bool is(Kind k) const { return kind == k; }
    // The member with this key; null if there is none, or if this is no object.
    const JsonValue* find(std::string_view key) const;
    // The number, if it is written as an integer (5, not 5.0) and fits.
    std::optional<std::int64_t> integer() const;

    // The value of a text. Throws Error "NAME: …" if the text is not UTF-8 or not JSON [RFC 8259],
    // if objects and arrays are nested more than 64 deep, or if an object has a key twice.
    static JsonValue parse(std::string_view text, const std::string& name);
    // The same for a file.
    static JsonValue read(const std::string& path);
};

// What a value is, for messages: 'the string "x"', "the number 3", "a list", "an object", …
std::string kind_of(const JsonValue& value);

}  // namespace tbt
