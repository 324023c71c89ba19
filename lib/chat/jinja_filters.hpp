// The filters of Jinja that chat templates use: operand | filter(arguments).
#pragma once

#include <string>

#include "lib/chat/jinja_arguments.hpp"

namespace tbt::jinja {

// The result of a filter. Throws Error with its name if the filter is not supported.
Value filtered(const Value& operand, const std::string& filter, const Arguments& arguments,
               Budget& budget);

}  // namespace tbt::jinja
