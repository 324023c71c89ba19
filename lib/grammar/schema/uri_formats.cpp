#include "lib/grammar/schema/uri_formats.hpp"

#include "lib/grammar/schema/formats.hpp"

namespace tbt {

namespace {

const std::string percent = "%[0-9a-fA-F]{2}", subdelims = "!$&'()*+,;=";
const std::string own_scripts =
    "\\u{A0}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\\u{10000}-\\u{1FFFD}\\u{20000}-\\u{"
    "2FFFD}"
    "\\u{30000}-\\u{3FFFD}\\u{40000}-\\u{4FFFD}\\u{50000}-\\u{5FFFD}\\u{60000}-\\u{6FFFD}\\u{70000}"
    "-\\u{7FFFD}"
    "\\u{80000}-\\u{8FFFD}\\u{90000}-\\u{9FFFD}\\u{A0000}-\\u{AFFFD}\\u{B0000}-\\u{BFFFD}\\u{C0000}"
    "-\\u{CFFFD}"
    "\\u{D0000}-\\u{DFFFD}\\u{E1000}-\\u{EFFFD}";
const std::string private_use = "\\u{E000}-\\u{F8FF}\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}";

std::string some(const std::string& characters) {
    return "(?:[" + characters + "]|" + percent + ")*";
}

}  // namespace

std::string uri_pattern(bool relative, bool international) {
    const std::string unreserved = "a-zA-Z0-9\\-._~" + (international ? own_scripts : ""),
                      in_host = unreserved + subdelims;
    const std::string literal =
        "\\[(?:" + ipv6_pattern() + "|[vV][0-9a-fA-F]+\\.[a-zA-Z0-9\\-._~" + subdelims + ":]+)\\]";
    const std::string authority =
        "(?:" + some(in_host + ":") + "@)?(?:" + literal + "|" + some(in_host) + ")(?::[0-9]*)?";
    const std::string segment = some(in_host + ":@"),
                      character = "(?:[" + in_host + ":@]|" + percent + ")",
                      first_without_colon = "(?:[" + in_host + "@]|" + percent + ")+";
    const std::string rest = "(?:/" + segment + ")*",
                      absolute = "/(?:" + character + segment + rest + ")?";
    const std::string tail = "(?:\\?" +
                             some(in_host + ":@/?" + (international ? private_use : "")) +
                             ")?(?:#" + some(in_host + ":@/?") + ")?";
    std::string whole = "[a-zA-Z][a-zA-Z0-9+\\-.]*:(?://" + authority + rest + "|" + absolute +
                        "|" + character + segment + rest + "|)" + tail;
    if (!relative) return whole;
    return "(?:" + whole + "|(?://" + authority + rest + "|" + absolute + "|" +
           first_without_colon + rest + "|)" + tail + ")";
}

std::string uri_template_pattern() {
    const std::string literal =
        "[!#$&-;=?-\\[\\]_a-z~" + own_scripts + private_use + "]|" + percent;
    const std::string letter = "(?:[a-zA-Z0-9_]|" + percent + ")";
    const std::string variable = letter + "(?:\\.?" + letter + ")*(?::[1-9][0-9]{0,3}|\\*)?";
    return "(?:" + literal + "|\\{[+#./;?&=,!@|]?" + variable + "(?:," + variable + ")*\\})*";
}

}  // namespace tbt
