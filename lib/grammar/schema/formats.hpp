// The values of JSON Schema's keyword `format` that are enforced, as regular languages.
#pragma once

#include <string>

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

// The texts of a format: date, time, date-time, duration [RFC 3339], uuid, uuid4 [RFC 4122],
// email [RFC 5321], ipv4, ipv6 [RFC 4291], hostname [RFC 1123], uri [RFC 3986], iri [RFC 3987],
// JSON pointers [RFC 6901]. Nothing for any other name. validating: all texts that the standards
// allow. Otherwise those that are generated: T and Z in capitals, years from 0001, no leap seconds
// (they need a larger automaton).
SharedDfa format_language(const std::string& name, bool validating);
// Formats of numbers: int32 and the like are whole numbers in that range; float and double allow
// all numbers. Null for any other name.
const Dfa* number_format(const std::string& name);
std::string format_names();  // a list for messages

// The common texts of a format and the most characters to generate. Null if this format has no
// such subset.
struct EverydayFormat {
    Dfa texts;
    int most;
};
const EverydayFormat* everyday_format(const std::string& name);
// Are fewer texts of this format generated than are valid?
bool written_narrower(const std::string& name);

}  // namespace tbt
