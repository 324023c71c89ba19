#include "lib/grammar/schema/regex_format.hpp"

#include <string>

#include "lib/grammar/automata/regex.hpp"

namespace tbt {

namespace {

constexpr int max_valid_depth = 12, max_written_depth = 2;

// A sequence of terms. `around` (anchors and alternatives, which are not terms) may come before and
// after each term. A term is an atom, or a group that contains such a sequence, up to the depth.
std::string nested(const std::string& around, const std::string& atom, const std::string& open,
                   const std::string& times, int depth) {
    const auto row = [&](const std::string& term) {
        return "(?:" + around + "(?:" + term + ")(?:" + times + ")?)*" + around;
    };
    std::string inside = row(atom);
    for (int d = 0; d < depth; ++d) inside = row(atom + "|\\((?:" + open + ")?" + inside + "\\)");
    return inside;
}

std::string valid_pattern() {
    const std::string name = "<[a-zA-Z_$\\u{80}-\\u{10FFFF}][a-zA-Z0-9_$\\u{80}-\\u{10FFFF}]*>";
    const std::string hex = "[0-9a-fA-F]";
    // Escapes that are allowed both inside and outside a class.
    const std::string escape = "[dDsSwWfnrtv0^$\\\\.*+?()\\[\\]{}|/]|c[a-zA-Z]|x" + hex + "{2}|u" +
                               hex + "{4}|u\\{0*(?:10|" + hex + ")?" + hex +
                               "{1,4}\\}|[pP]\\{[a-zA-Z0-9_=]+\\}";
    const std::string in_class = "[^\\\\\\]]|\\\\(?:[b\\-]|" + escape + ")";
    return nested("(?:[|^$]|\\\\[bB])*",
                  "[^\\^$\\\\*+?()\\[\\]{}|]|\\\\(?:[1-9][0-9]*|k" + name + "|" + escape +
                      ")|\\[(?:" + in_class + ")*\\]",
                  "\\?(?:[:=!]|<[=!]|" + name + ")", "(?:[*+?]|\\{[0-9]+(?:,[0-9]*)?\\})\\??",
                  max_valid_depth);
}

std::string written_pattern() {
    const std::string character = "[^\\u{0}-\\u{1F}\\u{7F}\\^$\\\\.*+?()\\[\\]{}|]";
    const std::string escape = "\\\\[dDsSwWnt^$\\\\.*+?()\\[\\]{}|/]";
    const std::string in_class = "a-z|A-Z|0-9|a-f|A-F|[a-zA-Z0-9_ .,:;@%/]|\\\\[dsw]";
    std::string times = "[*+?]|\\{[1-9]\\}|\\{[0-9],\\}";
    for (int low = 1; low <= 9; ++low)
        times += "|\\{" + std::to_string(low) + ",[" + std::to_string(low) + "-9]\\}";
    return "\\^?" +
           nested("\\|?", "\\.|" + character + "|" + escape + "|\\[\\^?(?:" + in_class + ")+\\]",
                  "\\?:", times, max_written_depth) +
           "\\$?";
}

}  // namespace

Dfa regular_expressions(bool validating) {
    if (!validating) return regex_full_match(written_pattern());
    // Without \0 followed by a digit, which would be an octal escape.
    return regex_full_match(valid_pattern()) -
           regex_full_match("(?:[^\\\\]|\\\\[\\s\\S])*\\\\0[0-9][\\s\\S]*");
}

}  // namespace tbt
