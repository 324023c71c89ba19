// Syntax trees of grammars and regular expressions: characters, sequences, choices, repetitions
// and references to rules.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/grammar/automata/code_points.hpp"

namespace tbt {

// An expression, an automaton or a grammar would exceed our limits of memory or work.
class TooLarge : public UsageError {
public:
    using UsageError::UsageError;
};

struct Expression {
    enum class Kind {
        characters,  // one code point of `set`
        text,        // the code points of `text` in a row
        sequence,    // all parts, one after the other; no parts: the empty text
        choice,      // one of the parts
        repeat,      // the first part, low to high times
        rule,        // any text of the rule with this number
        // In regular expressions only: the beginning and the end of the text; what follows here, or
        // what came before, does or does not match the first part.
        begin,
        end,
        ahead,
        not_ahead,
        before,
        not_before
    };
    static constexpr int unlimited = -1;

    Kind kind = Kind::sequence;
    CodePointSet set = {};
    std::string text = {};  // UTF-8
    std::vector<Expression> parts = {};
    int low = 0, high = 0, rule = 0;

    static Expression at(Kind kind) { return {.kind = kind}; }
    static Expression look(Kind kind, Expression part) {
        Expression e{.kind = kind};
        e.parts.push_back(std::move(part));
        return e;
    }
    static Expression characters(CodePointSet s) {
        return {.kind = Kind::characters, .set = std::move(s)};
    }
    static Expression literal(std::string t) { return {.kind = Kind::text, .text = std::move(t)}; }
    static Expression sequence(std::vector<Expression> p) {
        return {.kind = Kind::sequence, .parts = std::move(p)};
    }
    static Expression choice(std::vector<Expression> p) {
        return {.kind = Kind::choice, .parts = std::move(p)};
    }
    static Expression of_rule(int r) { return {.kind = Kind::rule, .rule = r}; }
    static Expression repeat(Expression part, int low, int high) {
        Expression e{.kind = Kind::repeat, .low = low, .high = high};
        e.parts.push_back(std::move(part));
        return e;
    }
    // As repeat(), but merges a repetition of a repetition into one if that allows no new counts:
    // (x{0,9}){3} is x{0,27} and (x+)* is x*, but (x{3}){0,9} is not x{0,27}. (x{3,})* becomes
    // (x{3,})?.
    static Expression repeat_flat(Expression part, int low, int high) {
        constexpr long long largest = 1 << 30;
        const long long a = part.low, b = part.high, c = low, d = high;
        const bool open = b == unlimited, further = d == unlimited || c < d;
        if (part.kind != Kind::repeat || a * c > largest || b * d > largest)
            return repeat(std::move(part), low, high);
        if (open && c == 0 && further && a > 1) return repeat(std::move(part), 0, 1);
        if (!open && further && a * (c + 1) > b * c + 1) return repeat(std::move(part), low, high);
        part.low = static_cast<int>(a * c);
        if (b == 0 || d == 0) part.high = 0;
        else part.high = open || d == unlimited ? unlimited : static_cast<int>(b * d);
        return part;
    }
};

}  // namespace tbt
