#include "lib/grammar/schema/held_numbers.hpp"

#include <string>
#include <vector>

#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/index.hpp"

namespace tbt {

namespace {

// No state is reached from itself: taken away one after the other, those that nobody leads to.
bool is_finite(const Dfa& dfa) {
    std::vector<int> leading(dfa.states.size()), open;
    for (const Dfa::State& s : dfa.states)
        for (const Dfa::Edge& e : s.edges) ++leading[index(e.to)];
    for (int s = 0; s < count(dfa.states); ++s)
        if (leading[index(s)] == 0) open.push_back(s);
    std::size_t taken = 0;
    for (; !open.empty(); ++taken) {
        const Dfa::State& s = dfa.states[index(open.back())];
        open.pop_back();
        for (const Dfa::Edge& e : s.edges)
            if (--leading[index(e.to)] == 0) open.push_back(e.to);
    }
    return taken == dfa.states.size();
}

// Digits with a point among them or none, and a sign in front: states by what was read.
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

// Whole numbers of which the long ones are all there, or none with that sign; and all numbers from
// zero on, or above it (a double is zero below 5e-324 only). Rounded, they are still among them.
bool may_be_rounded(const Dfa& numbers) {
    if (!(numbers - whole_numbers()).empty()) {
        const Decimal zero;
        return same(numbers, at_least(zero, false)) || same(numbers, at_least(zero, true));
    }
    static const Dfa long_ones_of[] = {regex_whole("[1-9][0-9]{15,}"),
                                       regex_whole("-[1-9][0-9]{15,}")};
    for (const Dfa& long_ones : long_ones_of) {
        if (!(long_ones - numbers).empty() && !(long_ones & numbers).empty()) return false;
    }
    return true;
}

}  // namespace

Dfa held_by_a_double(const Dfa& numbers) {
    if (is_finite(numbers) || may_be_rounded(numbers)) return numbers;
    try {
        static const Dfa short_ones = of_digits(15);
        Dfa held = numbers & short_ones;
        return held.empty() ? numbers : held;
    } catch (const TooLarge&) {
        return numbers;
    }
}

}  // namespace tbt
