// A JSON value as it is written: its numbers in all their digits, its members in their order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tbt {

// A value, with its numbers as they are written: a double does not hold all of them.
struct WrittenValue {
    enum class Kind { null, yes, no, number, string, array, object };
    Kind kind = Kind::null;
    std::string text;  // of a number, without an exponent; of a string, UTF-8
    std::vector<WrittenValue> items;
    std::vector<std::string> keys;  // of an object; its values are the items
};

// text: known to be JSON, which spares all tests. Throws UnsupportedSchema where it is nested more
// than 1000 deep, UsageError on a number that is too long.
WrittenValue read_value(std::string_view text);

// Equal values have the same form: 1 and 1.0, members in any order.
std::string form_of(const WrittenValue& value);

}  // namespace tbt
