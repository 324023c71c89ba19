#include "lib/grammar/automata/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/automata/code_points.hpp"
#include "lib/grammar/automata/regex.hpp"

namespace tbt {

namespace {

constexpr std::size_t max_digits = 10000;

std::string some_digit(char low, char high) {
    return low > high ? "" : std::string("[") + low + "-" + high + "]";
}
std::string times(const std::string& what, std::size_t n) {
    return n == 0 ? "" : what + "{" + std::to_string(n) + "}";
}

// Joins alternatives of a regular expression.
class Either {
public:
    void add(const std::string& one) { text_ += (text_.empty() ? "" : "|") + one; }
    bool empty() const { return text_.empty(); }
    std::string text() const { return "(?:" + text_ + ")"; }

private:
    std::string text_;
};

const std::string any_fraction = "(?:\\.[0-9]+)?";
const std::string any_unsigned = "(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?";

// x >= a, or x > a if strictly; signs are ignored. Whole parts have no leading zeros, so the
// longer one is greater.
void add_greater(Either& e, const Decimal& a, bool strictly) {
    const std::string &w = a.whole, &f = a.fraction;
    e.add("[1-9]" + std::string("[0-9]{") + std::to_string(w.size()) + ",}" + any_fraction);
    for (std::size_t i = 0; i < w.size(); ++i) {
        const std::string digit = some_digit(static_cast<char>(w[i] + 1), '9');
        if (!digit.empty())
            e.add(w.substr(0, i) + digit + times("[0-9]", w.size() - 1 - i) + any_fraction);
    }
    for (std::size_t i = 0; i < f.size(); ++i) {
        const std::string digit = some_digit(static_cast<char>(f[i] + 1), '9');
        if (!digit.empty()) e.add(w + "\\." + f.substr(0, i) + digit + "[0-9]*");
    }
    e.add(w + "\\." + f + "[0-9]*[1-9][0-9]*");
    if (!strictly) e.add(f.empty() ? w + "(?:\\.0+)?" : w + "\\." + f + "0*");
}

void add_smaller(Either& e, const Decimal& a, bool strictly) {
    const std::string &w = a.whole, &f = a.fraction;
    if (w.size() > 1)
        e.add("(?:0|[1-9][0-9]{0," + std::to_string(w.size() - 2) + "})" + any_fraction);
    for (std::size_t i = 0; i < w.size(); ++i) {
        const std::string digit =
            some_digit(i == 0 && w.size() > 1 ? '1' : '0', static_cast<char>(w[i] - 1));
        if (!digit.empty())
            e.add(w.substr(0, i) + digit + times("[0-9]", w.size() - 1 - i) + any_fraction);
    }
    if (!f.empty()) e.add(w);
    for (std::size_t i = 0; i < f.size(); ++i) {
        const std::string digit = some_digit('0', static_cast<char>(f[i] - 1));
        if (i > 0)
            // A shorter fraction is smaller: a has at least one more digit that is not zero.
            e.add(w + "\\." + f.substr(0, i));
        if (!digit.empty()) e.add(w + "\\." + f.substr(0, i) + digit + "[0-9]*");
    }
    if (!strictly) e.add(f.empty() ? w + "(?:\\.0+)?" : w + "\\." + f + "0*");
}

bool is_zero(const Decimal& d) { return d.whole == "0" && d.fraction.empty(); }

Dfa compared(const Decimal& bound, bool strictly, bool least) {
    // Numbers with the bound's sign are compared with it by magnitude. Those with the other sign
    // are either all in the set or all outside.
    const bool negative = bound.negative && !is_zero(bound);
    const auto side = [&](bool minus) {
        Either e;
        const bool zero = is_zero(bound);
        if (minus == negative || zero) {
            // For x >= a: larger magnitudes without a minus, smaller ones after it.
            minus == least ? add_smaller(e, bound, strictly) : add_greater(e, bound, strictly);
        } else if (minus != least) {
            e.add(any_unsigned);
        }
        return e;
    };
    Either all;
    if (const Either plus = side(false); !plus.empty()) all.add(plus.text());
    if (const Either minus = side(true); !minus.empty())
        all.add(std::string(1, '-').append(minus.text()));
    return all.empty() ? Dfa{} : regex_full_match(all.text());
}

}  // namespace

Decimal Decimal::parse(const std::string& number) {
    Decimal d;
    std::string digits;
    std::int64_t exponent = 0, point = -1;
    std::size_t i = 0;
    if (number[i] == '-') d.negative = true, ++i;
    for (; i < number.size() && (is_digit(number[i]) || number[i] == '.'); ++i) {
        if (number[i] == '.') point = length_of(digits);
        else digits += number[i];
    }
    if (i < number.size()) {  // e or E
        const bool minus = number[++i] == '-';
        if (number[i] == '+' || number[i] == '-') ++i;
        for (; i < number.size(); ++i)
            exponent = std::min<std::int64_t>(exponent * 10 + (number[i] - '0'), 1'000'000'000);
        if (minus) exponent = -exponent;
    }
    if (point < 0) point = length_of(digits);
    if (digits.find_first_not_of('0') == std::string::npos) return d;
    point += exponent;
    if (point > static_cast<std::int64_t>(max_digits) ||
        point < -static_cast<std::int64_t>(max_digits) || digits.size() > max_digits) {
        throw TooLarge("number: " + number.substr(0, 40) + " has more than " +
                       std::to_string(max_digits) + " digits when written out; use a smaller one");
    }
    if (point < 0) digits.insert(0, index(-point), '0'), point = 0;
    if (point > length_of(digits)) digits.append(index(point) - digits.size(), '0');
    d.whole = digits.substr(0, index(point));
    d.fraction = digits.substr(index(point));
    d.whole.erase(0, std::min(d.whole.find_first_not_of('0'), d.whole.size()));
    if (d.whole.empty()) d.whole = "0";
    d.fraction.erase(d.fraction.find_last_not_of('0') + 1);
    return d;
}

std::string Decimal::text() const {
    return (negative ? "-" : "") + whole + (fraction.empty() ? "" : "." + fraction);
}

const Dfa& decimals() {
    static const Dfa all = regex_full_match("-?" + any_unsigned);
    return all;
}
const Dfa& whole_numbers() {
    static const Dfa all = regex_full_match("-?(?:0|[1-9][0-9]*)(?:\\.0+)?");
    return all;
}
const Dfa& whole_numbers_without_point() {
    static const Dfa all = regex_full_match("-?(?:0|[1-9][0-9]*)");
    return all;
}
const Dfa& plain_integers() {
    static const Dfa all = regex_full_match("0|-?[1-9][0-9]*");
    return all;
}
const Dfa& plain_decimals() {
    static const Dfa all = regex_full_match("0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\\.[0-9]*[1-9]");
    return all;
}
Dfa at_least(const Decimal& bound, bool strictly) { return compared(bound, strictly, true); }
Dfa at_most(const Decimal& bound, bool strictly) { return compared(bound, strictly, false); }

Dfa equal_to(const Decimal& value) {
    const std::string sign = is_zero(value) ? "-?" : value.negative ? "-" : "";
    return regex_full_match(
        sign + value.whole +
        (value.fraction.empty() ? "(?:\\.0+)?" : "\\." + value.fraction + "0*"));
}

// step = p / 10^q. Let r be the number so far, without its point. A state is what must still come
// to make a multiple: n digits that are, as a number, rest = −r · 10^n (mod p), with the least n
// for which rest has no more than n digits. So factors 2 and 5 of p cost little: multiples of
// 86400 = 2^7 · 5^2 · 27 need 143 states.
Dfa multiple_of(const Decimal& step) {
    std::string number = step.whole + step.fraction;
    number.erase(0, number.find_first_not_of('0'));
    const int q = count(step.fraction), before_point = -1;
    const UsageError too_large(
        "number: multiples of " + step.text() +
        " need more than 20,000 states; whole steps up to 10,000 fit, and others such as 86400 "
        "whose factors except 2 and 5 are small");
    if (number.size() > 17) throw too_large;
    const std::int64_t p = std::stoll(number);
    std::map<std::tuple<int, std::int64_t, std::int64_t>, int>
        known;                                       // by digits after the point, n, rest
    std::vector<std::pair<int, std::int64_t>> open;  // digits after the point, some r
    Dfa dfa{{{}}};
    // after: digits after the point. −1: no digits make a multiple.
    const auto state_of = [&](int after, std::int64_t r) {
        const int least = q - std::max(after, 0);
        std::int64_t n = 0, rest = (p - r) % p, limit = 1;  // limit: 10^n, or more than p
        while (n < least || (after == before_point && rest >= limit))
            ++n, rest = rest * 10 % p, limit *= limit <= p ? 10 : 1;
        if (rest >= limit) return -1;
        const auto [place, added] = known.try_emplace({after, n, rest}, count(dfa.states));
        if (added) open.emplace_back(after, r), dfa.states.push_back({{}, n == least && rest == 0});
        return place->second;
    };
    const auto link = [&](int from, char on, int to) {
        if (to >= 0) at(dfa.states, from).edges.push_back({CodePointSet(on, on), to});
    };
    link(0, '-', state_of(before_point, 0));
    for (char d = '0'; d <= '9'; ++d) link(0, d, state_of(before_point, (d - '0') % p));
    for (int s = 1; s < count(dfa.states); ++s) {
        if (count(dfa.states) > 20000) throw too_large;
        const auto [after, r] = at(open, s - 1);
        if (after == before_point) link(s, '.', state_of(0, r));
        const int next = after == before_point ? after : std::min(after + 1, q);
        for (char d = '0'; d <= (after == q ? '0' : '9'); ++d)
            link(s, d, state_of(next, (r * 10 + (d - '0')) % p));
    }
    return dfa & decimals();
}

namespace {

// Splits a JSON text into strings, numbers and single bytes: the end of the piece that begins at i.
std::size_t end_of_piece(std::string_view json, std::size_t i) {
    std::size_t end = i + 1;
    if (json[i] == '"') {
        while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
        return std::min(end + 1, json.size());
    }
    if (json[i] != '-' && !is_digit(json[i])) return end;
    while (end < json.size() && (is_digit(json[end]) || std::string_view(".eE+-").find(json[end]) !=
                                                            std::string_view::npos))
        ++end;
    return end;
}

bool is_json_number(const std::string& text) {
    static const Dfa number =
        regex_full_match("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+\\-]?[0-9]+)?");
    return (text[0] == '-' || is_digit(text[0])) && number.accepts(text);
}

// Is the number unchanged after conversion to a double, or to an integer of 64 bits, and back?
bool fits_a_double(const std::string& number) {
    const char *begin = number.data(), *end = begin + number.size();
    const auto fits = [&](auto integer) {
        const auto [stop, error] = std::from_chars(begin, end, integer);
        return stop == end && error == std::errc{};
    };
    if (fits(std::int64_t{}) || fits(std::uint64_t{})) return true;
    const double value = std::strtod(begin, nullptr);
    if (!std::isfinite(value)) return false;
    std::string shortest(32, '\0');
    char* const first = shortest.data();
    shortest.resize(index(std::to_chars(first, first + shortest.size(), value).ptr - first));
    try {
        const Decimal written = Decimal::parse(number), read = Decimal::parse(shortest);
        return written.whole == read.whole && written.fraction == read.fraction;
    } catch (const UsageError&) {
        return false;
    }
}

}  // namespace

std::map<int, std::string> inexact_numbers(std::string_view json) {
    std::map<int, std::string> found;
    int place = 0;
    for (std::size_t i = 0, end = 0; i < json.size(); i = end) {
        end = end_of_piece(json, i);
        std::string text(json.substr(i, end - i));
        if (!is_json_number(text)) continue;
        if (!fits_a_double(text)) found.emplace(place, std::move(text));
        ++place;
    }
    return found;
}

}  // namespace tbt
