// A JSON value as it was written: its numbers with all their digits, its members in their order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tbt {

// Numbers are kept as texts, since a double cannot hold all of them.
struct WrittenValue {
    enum class Kind { null, yes, no, number, string, array, object };
    Kind kind = Kind::null;
    std::string text;  // of a number: its digits without an exponent; of a string: UTF-8
    std::vector<WrittenValue> items;
    std::vector<std::string> keys;  // of an object; the values of its members are in items
};

// text: must be valid JSON; it is not checked. Throws UnsupportedSchema if it is nested more than
// 1000 deep, and UsageError if a number is too long.
WrittenValue read_value(std::string_view text);

// A text that is the same for equal values: 1 and 1.0, members in any order.
std::string form_of(const WrittenValue& value);

}  // namespace tbt
