// The formats of JSON Schema that are enforced, as regular languages.
#pragma once

#include <optional>
#include <string>

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

// date, time, date-time (RFC 3339), uuid (RFC 4122), email (RFC 5321), ipv4, ipv6 (RFC 4291),
// hostname (RFC 1123), web addresses (uri_formats.hpp), JSON pointers (RFC 6901), regular
// expressions (regex_format.hpp).
// Nothing for any other name. validating: all that the standards allow. Otherwise what one writes:
// T and Z in capitals, years from 0001, no leap seconds (which take a larger automaton).
std::optional<Dfa> format_language(const std::string& name, bool validating);
// Formats of numbers: int32 and the like are whole numbers in that range, float and double say
// nothing more. Null for any other name.
const Dfa* number_format(const std::string& name);
std::string format_names();

// What people mostly write of a format, and how many characters of it. Null: of this one there is
// no such part.
struct EverydayFormat {
    Dfa texts;
    int most;
};
const EverydayFormat* everyday_format(const std::string& name);
// Fewer texts of this format are written than are valid.
bool written_narrower(const std::string& name);

// Part of the web addresses' formats, as a regular expression.
std::string ipv6_pattern();

}  // namespace tbt
