// A plain recognizer for regular expressions: after a byte, what may come is an expression too.
//
// This expression is the derivative [Brzozowski 1964]. An expression has only finitely many
// derivatives with different names: the states of an automaton. The fast version is Dfa (dfa.hpp).
#pragma once

#include "chapters/15_regular/plain_regex.hpp"

namespace tbt {

// May the text end here?
inline bool may_be_empty(const Regex& e) {
    if (e.kind == Regex::sequence) return may_be_empty(e.parts[0]) && may_be_empty(e.parts[1]);
    bool some = e.kind == Regex::empty || e.kind == Regex::star;
    for (const Regex& part : e.parts) some = some || may_be_empty(part);
    return some;
}

// The derivative of e: matches all texts t such that `byte` followed by t matches e.
inline Regex derivative(const Regex& e, int byte) {
    const auto after = [&](std::size_t i) { return derivative(e.parts[i], byte); };
    if (e.kind == Regex::byte) return e.low <= byte && byte <= e.high ? any_times({}) : Regex();
    if (e.kind == Regex::star) return then(after(0), e);
    if (e.kind == Regex::sequence) {
        const Regex first = then(after(0), e.parts[1]);
        return may_be_empty(e.parts[0]) ? either(first, after(1)) : first;
    }
    Regex all;
    for (std::size_t i = 0; i < e.parts.size(); ++i) all = either(all, after(i));
    return all;
}

}  // namespace tbt
