// Formats a number for messages: 0.9, not 0.900000.
#pragma once

#include <cstdio>
#include <string>

namespace tbt {

inline std::string short_number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

}  // namespace tbt
