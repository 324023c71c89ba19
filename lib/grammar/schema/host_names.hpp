// The formats of host names: hostname [RFC 1123, §2.1], idn-hostname [RFC 5890 to 5892], idn-email
// [RFC 6531, §3.3].
//
// A label of letters of any script holds what RFC 5892 calls valid, and characters that it allows
// in some places only where it does. What no automaton of a sensible size can tell is left: whether
// a name has more than 253 bytes, or a label in letters of other scripts more than 63; whether what
// stands behind "xn--" can be decoded; whether a label is normalized (single characters that
// normalization changes are refused); and whether letters that run to the right and to the left
// stand together as RFC 5893 wants. Whoever writes takes letters of ASCII, three labels at most,
// and no "xn--".
#pragma once

#include <string>

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

Dfa host_names(bool judging);
Dfa international_host_names(bool judging);
// local: the part before the @, as a regular expression.
Dfa international_addresses(const std::string& local, bool judging);

}  // namespace tbt
