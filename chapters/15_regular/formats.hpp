// The formats of JSON Schema that are enforced, as regular languages.
#pragma once

#include <optional>
#include <string>

#include "chapters/15_regular/dfa.hpp"

namespace tbt {

// date, time, date-time (RFC 3339), uuid (RFC 4122), email (RFC 5321), ipv4, ipv6 (RFC 4291).
// Nothing for any other name. leap_seconds: also 23:59:60 UTC, in every time zone,
// which takes a larger automaton.
std::optional<Dfa> format_language(const std::string& name, bool leap_seconds);
std::string format_names();

// Pieces of formats, as regular expressions.
std::string ipv6_pattern();
std::string uri_pattern(bool relative, bool international);
std::string uri_template_pattern();

}  // namespace tbt
