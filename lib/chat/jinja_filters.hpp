// The filters that chat templates use: operand | filter(arguments).
#pragma once

#include <string>

#include "lib/chat/jinja_arguments.hpp"

namespace tbt::jinja {

// Throws Error, by name, for a filter that is not known here.
Value filtered(const Value& operand, const std::string& filter, const Arguments& arguments,
               Budget& budget);

}  // namespace tbt::jinja
