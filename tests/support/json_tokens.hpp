// What random JSON texts are made of: letters, and tokens with every seam that JSON has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tbt::testing {

inline constexpr std::string_view json_letters = "{}[],:\"\\ \n0123456789-+.eEtrufalsn/bxD8c";

// Everything that can follow a structural symbol in one token.
inline const std::vector<std::string> json_tokens = {
    "{\"",  "\":",   "\": ",  "\",", "\", \"",  "\"}",     "\"}]",     "]}",       "}}",
    "]]",   "},",    "},{\"", "[]",  "{}",      "[[",      "[{\"",     "true",     "false",
    "null", " true", "name",  "\\u", "\\uD83D", "\\uDE00", "\xc3\xa9", "\xe2\x82", "\xf0\x9f\x98",
    "\n  ", "  ",    "1.5e",  "00",  "12",      "-",       "\"]}}",    "]]]]]",    "}]}]"};

}  // namespace tbt::testing
