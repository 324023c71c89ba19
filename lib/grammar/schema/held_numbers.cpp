#include "lib/grammar/schema/held_numbers.hpp"

#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"

namespace tbt {

namespace {

// At most `most` digits, with an optional sign and at most one point. A state is what was read.
Dfa of_digits(int most) {
    const CodePointSet digits('0', '9');
    const auto state = [&](int read, bool point) { return 1 + 2 * read + (point ? 1 : 0); };
    Dfa dfa;
    dfa.states.push_back({{{CodePointSet('-', '-'), state(0, false)}, {digits, state(1, false)}}});
    for (int read = 0; read <= most; ++read) {
        for (const bool point : {false, true}) {
            Dfa::State s{{}, true};
            if (read < most) s.edges.push_back({digits, state(read + 1, point)});
            if (!point) s.edges.push_back({CodePointSet('.', '.'), state(read, true)});
            dfa.states.push_back(std::move(s));
        }
    }
    return dfa;
}

bool same(const Dfa& a, const Dfa& b) { return (a - b).empty() && (b - a).empty(); }

// Does rounding to a double keep every number in the set? True for whole numbers if, for each sign,
// the set has all long ones or none. True for all numbers from zero on, or all above it (a double
// is zero below 5e-324 only).
bool may_be_rounded(const Dfa& numbers) {
    if (!(numbers - whole_numbers()).empty()) {
        const Decimal zero;
        return same(numbers, at_least(zero, false)) || same(numbers, at_least(zero, true));
    }
    static const Dfa long_ones_of[] = {regex_full_match("[1-9][0-9]{15,}"),
                                       regex_full_match("-[1-9][0-9]{15,}")};
    for (const Dfa& long_ones : long_ones_of) {
        if (!(long_ones - numbers).empty() && !(long_ones & numbers).empty()) return false;
    }
    return true;
}

// The numbers of at most 15 digits, if there are any; else all.
Dfa short_numbers(const Dfa& numbers) {
    static const Dfa short_ones = of_digits(15);
    Dfa held = numbers & short_ones;
    return held.empty() ? numbers : held;
}

// d.ddd × 10^n lies between 0 and 1 for every n < 0, and is at least 1 for every other n. Adds the
// spellings with exponents for each side of which all numbers are allowed.
Dfa with_exponents(const Dfa& numbers, Dfa written) {
    struct Side {
        Dfa all, spelled;
    };
    static const std::vector<Side> sides = [] {
        const std::string mantissa = "[1-9](?:\\.[0-9]{1,14})?[eE]";
        std::vector<Side> made;
        for (const std::string sign : {"", "-"}) {
            made.push_back({regex_full_match(sign + "0\\.[0-9]*[1-9][0-9]*"),
                            regex_full_match(sign + mantissa + "-(?:0?[1-9]|[1-9][0-9])")});
            made.push_back({regex_full_match(sign + "[1-9][0-9]*(?:\\.[0-9]+)?"),
                            regex_full_match(sign + mantissa + "\\+?[0-9]{1,2}")});
            made.push_back({regex_full_match(sign + "[1-9][0-9]*"),
                            regex_full_match(sign + "[1-9][0-9]{0,14}[eE]\\+?[0-9]{1,2}")});
        }
        return made;
    }();
    for (const Side& side : sides)
        if ((side.all - numbers).empty()) written = written | side.spelled;
    return written;
}

}  // namespace

Dfa held_by_a_double(const Dfa& numbers) {
    return longest_length(numbers) >= 0 || may_be_rounded(numbers) ? numbers
                                                                   : short_numbers(numbers);
}

Dfa written_numbers(const SharedDfa& numbers, bool everyday) {
    static const Dfa any =
        regex_full_match("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+\\-]?[0-9]{1,2})?");
    if (everyday) {
        const Dfa held = short_numbers(numbers ? *numbers : decimals());
        return (held - whole_numbers()).empty() ? held & plain_integers() : held;
    }
    if (!numbers) return any;
    static const Dfa whole = with_exponents(whole_numbers(), whole_numbers());
    if (*numbers == whole_numbers()) return whole;
    return *numbers == whole_numbers_without_point()
               ? *numbers
               : with_exponents(*numbers, held_by_a_double(*numbers));
}

}  // namespace tbt
