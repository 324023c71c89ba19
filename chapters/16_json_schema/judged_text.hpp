// A JSON text as a judge reads it. Two things no grammar can know are worked out beforehand
// and written into the text: what a number with an exponent is without it (see numbers.hpp),
// and whether an array holds two equal items: it is then closed by the byte `repeats`
// instead of the bracket. Strings and keys are spelled in the one usual way ("a" for "\u0061"):
// a grammar of every spelling would have six times as many nodes.
#pragma once

#include <string>
#include <string_view>

namespace tbt {

inline constexpr char repeats = '\2';

// A text that is no JSON stays none. Throws UsageError when a number has more than 10,000
// digits written out.
std::string judged_text(std::string_view json);

}  // namespace tbt
