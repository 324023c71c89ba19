// The tests, methods and functions of Jinja that chat templates use.
#pragma once

#include <cstdint>
#include <string>

#include "lib/chat/jinja_arguments.hpp"

namespace tbt::jinja {

// The results of "operand is test(arguments)" and of "object.name(arguments)". Throw Error with the
// name if it is not supported.
bool passes(const Value& operand, const std::string& test, const Arguments& arguments,
            Budget& budget);
Value method(const Value& object, const std::string& name, const Arguments& arguments,
             Budget& budget);

// The result of strftime_now(format) for the time `now`, in seconds since 1970, in UTC.
Value date(std::int64_t now, const Arguments& arguments);
// range(end), range(begin, end), range(begin, end, step)
Value range(const Arguments& arguments, Budget& budget);

}  // namespace tbt::jinja
