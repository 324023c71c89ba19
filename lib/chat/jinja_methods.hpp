// The tests, methods and functions that chat templates use.
#pragma once

#include <cstdint>
#include <string>

#include "lib/chat/jinja_arguments.hpp"

namespace tbt::jinja {

// operand is test(arguments), object.name(arguments). Throw Error, by name, for what is not known
// here.
bool passes(const Value& operand, const std::string& test, const Arguments& arguments,
            Budget& budget);
Value method(const Value& object, const std::string& name, const Arguments& arguments,
             Budget& budget);

// strftime_now(format), of this time in seconds since 1970, in UTC.
Value date(std::int64_t now, const Arguments& arguments);
// range(end), range(begin, end), range(begin, end, step)
Value range(const Arguments& arguments, Budget& budget);

}  // namespace tbt::jinja
