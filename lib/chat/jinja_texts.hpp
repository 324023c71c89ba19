// Python's string methods for texts in a Jinja template. The marks of the bytes (MarkedText) stay
// with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/chat/jinja_value.hpp"

namespace tbt::jinja {

// Removes these characters, or white space if none are given, at the left end, the right end or
// both.
MarkedText stripped(const MarkedText& text, const std::optional<std::string>& characters,
                    bool left = true, bool right = true);
// Splits at a separator, or at white space if none is given, at most `most` times; −1: everywhere.
std::vector<Value> split(const MarkedText& text, const std::optional<std::string>& separator,
                         std::int64_t most, Budget& budget);
MarkedText replaced(const MarkedText& text, const std::string& from, const MarkedText& to,
                    std::int64_t most, Budget& budget);
// Changes the case of letters. `how` is upper, lower, capitalize, title (Python's method: a word is
// a sequence of letters) or words (Jinja's filter title: a word begins after white space and some
// punctuation). Throws Error for letters outside ASCII.
MarkedText in_case(const MarkedText& text, std::string_view how);
MarkedText indented(const MarkedText& text, const std::string& by, bool first, bool blank,
                    Budget& budget);
std::vector<Value> characters_of(const MarkedText& text, Budget& budget);

}  // namespace tbt::jinja
