// The arguments of filters, tests, methods and functions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/chat/jinja_value.hpp"

namespace tbt::jinja {

struct Arguments {
    std::vector<Value> values;
    std::vector<std::pair<std::string, Value>> named;

    // One value for each of these parameters, undefined where it is not given. Throws Error
    // "WHO: …" where another is given, or one of the first `least` is not.
    std::vector<Value> bound_to(const std::string& who,
                                std::initializer_list<std::string_view> parameters,
                                std::size_t least = 0) const;
};

// What an argument holds. Throw Error "WHO: …" for another kind of value.
const MarkedText& text_from(const std::string& who, const Value& value);
std::int64_t integer_from(const std::string& who, const Value& value, std::int64_t otherwise);
bool flag_from(const Value& value, bool otherwise);
std::optional<std::string> optional_text(const std::string& who, const Value& value);

}  // namespace tbt::jinja
