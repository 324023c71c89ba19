// The arguments of a call in a Jinja template: of filters, tests, methods and functions.
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

    // The value of each of these parameters; undefined if it is not given. Throws Error "WHO: …" if
    // there is an argument for no parameter, or if one of the first `least` is not given.
    std::vector<Value> bound_to(const std::string& who,
                                std::initializer_list<std::string_view> parameters,
                                std::size_t least = 0) const;
};

// The value of an argument. Throw Error "WHO: …" if it has another type.
const MarkedText& text_from(const std::string& who, const Value& value);
std::int64_t integer_from(const std::string& who, const Value& value, std::int64_t otherwise);
bool flag_from(const Value& value, bool otherwise);
std::optional<std::string> optional_text(const std::string& who, const Value& value);

}  // namespace tbt::jinja
