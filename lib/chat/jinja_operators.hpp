// The operators of Jinja and the access to members, items and slices. They work as in Python, as
// far as templates use them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/chat/jinja_value.hpp"

namespace tbt::jinja {

// left op right, for all operators except "and" and "or". Throws Error if the operator is not
// defined for these values.
Value combined(const Value& left, const std::string& op, const Value& right, Budget& budget);

// object.name; undefined if there is no such member. Throws Error if the object itself is
// undefined.
Value member(const Value& object, std::string_view name, Budget& budget);
// object[key]; for a text, the key is the index of a character.
Value item(const Value& object, const Value& key, Budget& budget);
// object[begin:end:step]. A part is undefined if the template left it out.
Value slice(const Value& object, const std::vector<Value>& parts, Budget& budget);
// The values over which a loop runs: a list's items, a text's characters, an object's keys.
std::vector<Value> items_of(const Value& value, Budget& budget);

}  // namespace tbt::jinja
