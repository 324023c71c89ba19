// Operators of chat templates on values, and looking into values: Python's, as far as templates
// use them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/chat/jinja_value.hpp"

namespace tbt::jinja {

// left op right, for all operators but "and" and "or". Throws Error for values that it is not
// defined for.
Value combined(const Value& left, const std::string& op, const Value& right, Budget& budget);

// object.name; undefined where there is no such member. Throws Error for a member of what is
// undefined itself.
Value member(const Value& object, std::string_view name, Budget& budget);
// object[key]; a text by its characters.
Value item(const Value& object, const Value& key, Budget& budget);
// object[begin:end:step]; parts that are undefined were left out.
Value slice(const Value& object, const std::vector<Value>& parts, Budget& budget);
// What a loop goes through: a text's characters, an object's keys.
std::vector<Value> items_of(const Value& value, Budget& budget);

}  // namespace tbt::jinja
