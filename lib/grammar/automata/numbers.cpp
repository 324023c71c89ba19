#include "lib/grammar/automata/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

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
        throw UsageError("number: " + number.substr(0, 40) + " has more than " +
                         std::to_string(max_digits) +
                         " digits when written out; use a smaller one");
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
Dfa at_least(const Decimal& bound, bool strictly) { return compared(bound, strictly, true); }
Dfa at_most(const Decimal& bound, bool strictly) { return compared(bound, strictly, false); }

Dfa equal_to(const Decimal& value) {
    const std::string sign = is_zero(value) ? "-?" : value.negative ? "-" : "";
    return regex_full_match(
        sign + value.whole +
        (value.fraction.empty() ? "(?:\\.0+)?" : "\\." + value.fraction + "0*"));
}

// step = p / 10^q. While digits are read, r = (the number so far, without its point) mod p.
// With k digits after the point the number is a multiple iff r · 10^(q−k) is divisible by p.
// After q digits only zeros may follow.
Dfa multiple_of(const Decimal& step) {
    std::string number = step.whole + step.fraction;
    number.erase(0, number.find_first_not_of('0'));
    const std::size_t q = step.fraction.size();
    const std::int64_t p = number.size() > 6 ? 0 : std::stoll(number);
    if (p <= 0 || index(p) * (q + 2) > 20000) {
        throw UsageError(
            "number: multiples of " + step.text() +
            " need an automaton of more than 20,000 states; use a step with fewer digits");
    }
    const auto whole = [&](std::int64_t r) { return to_int(1 + r); };
    const auto after_point = [&](std::size_t k, std::int64_t r) {
        return to_int(1 + p + static_cast<std::int64_t>(k) * p + r);
    };
    Dfa dfa;
    dfa.states.resize(index(1 + p + p * static_cast<std::int64_t>(q + 1)));
    const auto at = [&](int s) -> Dfa::State& { return dfa.states[index(s)]; };
    const auto multiple = [&](std::size_t k, std::int64_t r) {
        for (; k < q; ++k) r = r * 10 % p;
        return r == 0;
    };
    const auto digit = [](std::int64_t d) {
        return CodePointSet(static_cast<std::int32_t>('0' + d), static_cast<std::int32_t>('0' + d));
    };
    at(0).edges.push_back({CodePointSet('-', '-'), whole(0)});
    for (std::int64_t d = 0; d < 10; ++d) at(0).edges.push_back({digit(d), whole(d % p)});
    for (std::int64_t r = 0; r < p; ++r) {
        at(whole(r)).accepting = multiple(0, r);
        at(whole(r)).edges.push_back({CodePointSet('.', '.'), after_point(0, r)});
        for (std::int64_t d = 0; d < 10; ++d)
            at(whole(r)).edges.push_back({digit(d), whole((r * 10 + d) % p)});
        for (std::size_t k = 0; k <= q; ++k) {
            at(after_point(k, r)).accepting = multiple(k, r);
            for (std::int64_t d = 0; d < (k == q ? 1 : 10); ++d)
                at(after_point(k, r))
                    .edges.push_back({digit(d), k == q ? after_point(q, r)
                                                       : after_point(k + 1, (r * 10 + d) % p)});
        }
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

std::string without_exponents(std::string_view json) {
    std::string out;
    for (std::size_t i = 0; i < json.size();) {
        const std::size_t end = end_of_piece(json, i);
        std::string text(json.substr(i, end - i));
        const bool exponent = text.find_first_of("eE") != std::string::npos && is_json_number(text);
        out += exponent ? Decimal::parse(text).text() : text;
        i = end;
    }
    return out;
}

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
