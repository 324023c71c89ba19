#include "lib/grammar/schema/formats.hpp"

#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"

namespace tbt {

namespace {

const std::string hour = "(?:[01][0-9]|2[0-3])", minute = "[0-5][0-9]";
std::string offset(bool validating) {
    return std::string(validating ? "(?:[zZ]" : "(?:Z") + "|[+\\-]" + hour + ":" + minute + ")";
}
const std::string octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const std::string ipv4 = octet + "(?:\\." + octet + "){3}";

// A year is a leap year if it is divisible by 4 but not by 100, or by 400.
// validating: also the year 0000, which RFC 3339 allows and most readers of dates do not.
std::string date(bool validating) {
    const std::string year =
        validating ? "[0-9]{4}" : "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])";
    const std::string by_four = "(?:0[48]|[2468][048]|[13579][26])";
    const std::string leap =
        "(?:[0-9]{2}" + by_four + "|(?:" + by_four + (validating ? "|00" : "") + ")00)";
    const std::string long_month = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
                      short_month = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)";
    return "(?:" + year + "-(?:" + long_month + "|" + short_month +
           "|02-(?:0[1-9]|1[0-9]|2[0-8]))|" + leap + "-02-29)";
}

// A leap second is 23:59:60 in UTC; with an offset of +HH:MM the local time is that much later.
// Only offsets in quarters of an hour, as all offsets in use are.
std::string time(bool validating) {
    std::string all = hour + ":" + minute + ":" + minute + "(?:\\.[0-9]+)?" + offset(validating);
    if (!validating) return "(?:" + all + ")";
    all += "|23:59:60(?:\\.[0-9]+)?[zZ]";
    for (int local = 14; local < 24 * 60; local += 15) {
        const int ahead = (local + 1) % (24 * 60), west = (24 * 60 - ahead) % (24 * 60);
        char text[80];
        std::snprintf(text, sizeof text, "|%02d:%02d:60(?:\\.[0-9]+)?(?:\\+%02d:%02d|-%02d:%02d)",
                      local / 60, local % 60, ahead / 60, ahead % 60, west / 60, west % 60);
        all += text;
    }
    return "(?:" + all + ")";
}

// Labels of at most 63 characters [RFC 1123, §2.1]; an automaton cannot count the 253 characters of
// a name too. The generator writes at most three labels, and no "xn--", after which Punycode would
// have to follow.
Dfa host_names(bool validating) {
    const std::string label = "[a-zA-Z0-9](?:[a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])?";
    if (validating) return regex_full_match(label + "(?:\\." + label + ")*");
    return regex_full_match(label + "(?:\\." + label + "){0,2}") -
           regex_full_match("(?:[^]*\\.)?[^.]{2}--[^]*");
}

// Eight groups; "::" replaces one or more groups of zeros; the last two groups may be an IPv4
// address.
std::string ipv6_pattern() {
    const std::string group = "[0-9a-fA-F]{1,4}",
                      last = "(?:" + group + ":" + group + "|" + ipv4 + ")";
    std::string all = "(?:" + group + ":){6}" + last;
    for (int before = 0; before <= 7; ++before) {
        const std::string front =
            before == 0 ? "" : group + "(?::" + group + "){" + std::to_string(before - 1) + "}";
        const int room = 7 - before;  // groups that may follow "::"
        all += "|" + front + "::";
        if (room >= 1)
            all += "|" + front + "::" + group + "(?::" + group + "){0," + std::to_string(room - 1) +
                   "}";
        if (room >= 2)
            all += "|" + front + "::(?:" + group + ":){0," + std::to_string(room - 2) + "}" + ipv4;
    }
    return "(?:" + all + ")";
}

// Mailbox of RFC 5321, §4.1.2: atoms or a quoted string, then a domain or an address in brackets.
std::string email() {
    const std::string atom = "[a-zA-Z0-9!#$%&'*+\\-/=?\\^_`{|}~]+";
    const std::string quoted = "\"(?:[ !#-\\[\\]-~]|\\\\[ -~])*\"";
    const std::string label = "[a-zA-Z0-9](?:[a-zA-Z0-9\\-]*[a-zA-Z0-9])?";
    return "(?:" + atom + "(?:\\." + atom + ")*|" + quoted + ")@(?:" + label + "(?:\\." + label +
           ")*|\\[" + ipv4 + "\\]|\\[[iI][pP][vV]6:" + ipv6_pattern() + "\\])";
}
// Years, months and days, or weeks; then hours, minutes and seconds. No unit between two given ones
// may be missing [RFC 3339, appendix A].
std::string duration() {
    const std::string n = "[0-9]+", seconds = n + "S", minutes = n + "M(?:" + seconds + ")?";
    const std::string time = "T(?:" + n + "H(?:" + minutes + ")?|" + minutes + "|" + seconds + ")";
    const std::string days = n + "D", months = n + "M(?:" + days + ")?";
    return "P(?:(?:" + n + "Y(?:" + months + ")?|" + months + "|" + days + ")(?:" + time + ")?|" +
           time + "|" + n + "W)";
}

const std::string json_pointer = "(?:/(?:[^~/]|~[01])*)*";  // RFC 6901

// ---- web addresses: uri [RFC 3986, appendix A], iri [RFC 3987, §2.2] ----

const std::string percent = "%[0-9a-fA-F]{2}", subdelims = "!$&'()*+,;=";
// Characters of all scripts: no private use, and not the last two of each plane of 65,536.
const std::string own_scripts = [] {
    std::string all = "\\u{A0}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}";
    for (const char plane : std::string("123456789ABCDE"))
        all += std::string("\\u{") + plane + (plane == 'E' ? "1000}-\\u{" : "0000}-\\u{") + plane +
               "FFFD}";
    return all;
}();
const std::string private_use = "\\u{E000}-\\u{F8FF}\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}";

std::string some(const std::string& characters) {
    return "(?:[" + characters + "]|" + percent + ")*";
}

// relative: also relative references, "../a?b". international: IRIs, with letters of all scripts.
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

// ---- all of them ----

SharedDfa made_language(const std::string& name, bool validating) {
    if (name == "date") return regex_full_match(date(validating));
    if (name == "time") return regex_full_match(time(validating));
    if (name == "date-time")
        return regex_full_match(date(validating) + (validating ? "[tT]" : "T") + time(validating));
    if (name == "uuid")
        return regex_full_match("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    // pydantic's: of version 4, random [RFC 4122, §4.4].
    if (name == "uuid4")
        return regex_full_match(
            "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}");
    if (name == "email") return regex_full_match(email());
    if (name == "hostname") return host_names(validating);
    if (name == "ipv4") return regex_full_match(ipv4);
    if (name == "ipv6") return regex_full_match(ipv6_pattern());
    if (name == "duration") return regex_full_match(duration());
    if (name == "json-pointer") return regex_full_match(json_pointer);
    if (name == "relative-json-pointer")
        return regex_full_match("(?:0|[1-9][0-9]*)(?:#|" + json_pointer + ")");
    if (name == "uri") return regex_full_match(uri_pattern(false, false));
    if (name == "uri-reference") return regex_full_match(uri_pattern(true, false));
    if (name == "iri") return regex_full_match(uri_pattern(false, true));
    if (name == "iri-reference") return regex_full_match(uri_pattern(true, true));
    return {};
}

}  // namespace

// Each language is made once.
SharedDfa format_language(const std::string& name, bool validating) {
    static std::mutex mutex;
    static std::map<std::pair<std::string, bool>, SharedDfa> known;
    const std::lock_guard<std::mutex> lock(mutex);
    const std::pair key(name, validating);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    SharedDfa language = made_language(name, validating);
    if (language) known.emplace(key, language);
    return language;
}

bool written_narrower(const std::string& name) {
    return name == "date" || name == "time" || name == "date-time" || name == "hostname";
}

// These formats are from OpenAPI's format registry.
const Dfa* number_format(const std::string& name) {
    static const auto whole = [](const char* least, const char* most) {
        return whole_numbers() & at_least(Decimal::parse(least), false) &
               at_most(Decimal::parse(most), false);
    };
    static const std::map<std::string, Dfa> known = {
        {"int8", whole("-128", "127")},
        {"uint8", whole("0", "255")},
        {"int16", whole("-32768", "32767")},
        {"uint16", whole("0", "65535")},
        {"int32", whole("-2147483648", "2147483647")},
        {"uint32", whole("0", "4294967295")},
        {"int64", whole("-9223372036854775808", "9223372036854775807")},
        {"uint64", whole("0", "18446744073709551615")},
        {"float", decimals()},
        {"double", decimals()}};
    const auto found = known.find(name);
    return found == known.end() ? nullptr : &found->second;
}

// Names consist of letters, digits, dots and hyphens, in words of at most 20 characters: without a
// limit a small model writes on inside a host's name. Years are 1000 to 2099, hexadecimal digits of
// one case, and a clock shows whole seconds or milliseconds.
const EverydayFormat* everyday_format(const std::string& name) {
    static const std::string label = "[a-z][a-z0-9]{0,19}(?:-[a-z0-9]{1,20})?",
                             host = "(?:" + label + "\\.){1,2}(?:[a-z]{2,3}|info)",
                             word = "[A-Za-z0-9]{1,20}", date = "(?:1[0-9]|20)[0-9]{2}-[0-9-]{5}",
                             clock =
                                 "[0-9:]{8}(?:\\.[0-9]{3})?"
                                 "(?:Z|[+\\-](?:0[0-9]|1[0-4]):(?:00|30|45))";
    static const EverydayFormat email{regex_full_match(word + "(?:[._\\-]" + word + ")?@" + host),
                                      40},
        uri{regex_full_match("https?://" + host + "(?:/" + word + "(?:[._\\-]" + word +
                             "){0,2}){0,3}/?"),
            60},
        host_name{regex_full_match(host), 30}, day{regex_full_match(date), 30},
        time{regex_full_match(clock), 30}, moment{regex_full_match(date + "T" + clock), 30},
        duration{regex_full_match("P(?:T?(?:0|[1-9][0-9]{0,2})[A-Z])+"), 30},
        hexadecimal{regex_full_match("[0-9a-f:.\\-]*|[0-9A-F:.\\-]*"), 60};
    static const std::map<std::string, const EverydayFormat*> known = {
        {"email", &email},       {"uri", &uri},           {"iri", &uri},
        {"uri-reference", &uri}, {"iri-reference", &uri}, {"hostname", &host_name},
        {"date", &day},          {"time", &time},         {"date-time", &moment},
        {"duration", &duration}, {"uuid", &hexadecimal},  {"uuid4", &hexadecimal},
        {"ipv6", &hexadecimal}};
    const auto found = known.find(name);
    return found == known.end() ? nullptr : found->second;
}

std::string format_names() {
    return "date, time, date-time, duration, uuid, uuid4, email, hostname, ipv4, ipv6, uri, "
           "uri-reference, iri, iri-reference, json-pointer, relative-json-pointer";
}

}  // namespace tbt
