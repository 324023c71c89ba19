// The filters, tests, methods and functions of Jinja that chat templates use.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/chat/jinja_value.hpp"

namespace tbt::jinja {

// The arguments of a call.
struct Arguments {
    std::vector<Value> values;
    std::vector<std::pair<std::string, Value>> named;

    // The value of each of these parameters; undefined if it is not given. Throws Error "WHO: …" if
    // there is an argument for no parameter, or if one of the first `least` is not given.
    std::vector<Value> bound_to(const std::string& who,
                                std::initializer_list<std::string_view> parameters,
                                std::size_t least = 0) const;
};

// operand | name(arguments), operand is name(arguments), object.name(arguments). They throw Error
// with the name if it is not supported. The marks of the bytes (MarkedText) stay with them.
Value filtered(const Value& operand, const std::string& name, const Arguments& arguments,
               Budget& budget);
bool passes(const Value& operand, const std::string& name, const Arguments& arguments,
            Budget& budget);
Value method(const Value& object, const std::string& name, const Arguments& arguments,
             Budget& budget);

// The result of strftime_now(format) for the time `now`, in seconds since 1970, in UTC.
Value date(std::int64_t now, const Arguments& arguments);
// range(end), range(begin, end), range(begin, end, step)
Value range(const Arguments& arguments, Budget& budget);

}  // namespace tbt::jinja
