// Python's methods of texts. All keep the marks of their bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/chat/jinja_value.hpp"

namespace tbt::jinja {

// Without these characters, or without white space, at the ends that are asked for.
MarkedText stripped(const MarkedText& text, const std::optional<std::string>& characters,
                    bool left = true, bool right = true);
// Without a separator: at white space. most: how many cuts at most, −1 for all.
std::vector<Value> split(const MarkedText& text, const std::optional<std::string>& separator,
                         std::int64_t most, Budget& budget);
MarkedText replaced(const MarkedText& text, const std::string& from, const MarkedText& to,
                    std::int64_t most, Budget& budget);
// how: upper, lower, capitalize, title (as the method: a word is letters in a row) or words (as
// Jinja's filter title: a word begins after white space and some signs). Throws Error for letters
// beyond ASCII.
MarkedText in_case(const MarkedText& text, std::string_view how);
MarkedText indented(const MarkedText& text, const std::string& by, bool first, bool blank,
                    Budget& budget);
std::vector<Value> characters_of(const MarkedText& text, Budget& budget);

}  // namespace tbt::jinja
