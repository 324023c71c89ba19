#include "lib/grammar/automata/regex.hpp"

#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/grammar/automata/code_points.hpp"

namespace tbt {

namespace {

using Kind = Expression::Kind;

constexpr int max_repeats = 10000, max_group_depth = 500;

class Parser : CodePointReader {
public:
    Parser(std::string_view text, const std::string& name)
        : CodePointReader(code_points_of(text, name)), name_(name) {}

    Expression parse() {
        Expression e = choice(0);
        if (peek() == ')') fail("a ')' without its '('");
        return e;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw UsageError(name_ + ": column " + std::to_string(at_ + 1) + ": " + what);
    }

    Expression choice(int depth) {
        std::vector<Expression> choices{sequence(depth)};
        while (take('|')) choices.push_back(sequence(depth));
        return choices.size() == 1 ? std::move(choices[0]) : Expression::choice(std::move(choices));
    }

    Expression sequence(int depth) {
        std::vector<Expression> parts;
        while (!at_end() && peek() != '|' && peek() != ')') {
            Expression e = atom(depth);
            const bool place = e.kind >= Kind::begin;
            if (parse_repetition(e) && place) fail("an anchor or a look-around cannot be repeated");
            parts.push_back(std::move(e));
        }
        return parts.size() == 1 ? std::move(parts[0]) : Expression::sequence(std::move(parts));
    }

    bool parse_repetition(Expression& e) {
        int low = 0, high = Expression::unlimited;
        if (take('+')) {
            low = 1;
        } else if (take('?')) {
            high = 1;
        } else if (counts_ahead()) {
            ++at_;
            low = high = number();
            if (take(',')) high = is_digit(peek()) ? number() : Expression::unlimited;
            ++at_;
            if (high != Expression::unlimited && high < low)
                fail("a repetition {m,n} whose maximum is smaller than its minimum");
        } else if (!take('*')) {
            return false;
        }
        take('?');  // a lazy repetition matches the same texts
        if (peek() == '+')
            fail("a possessive repetition is not supported; leave out the second '+'");
        if (peek() == '*' || peek() == '?' || counts_ahead())
            fail("a repetition of a repetition; put the inner one into a group (?:…)");
        const bool unlimited = high == Expression::unlimited || e.high == Expression::unlimited;
        e = unlimited ? Expression::repeat(std::move(e), low, high)
                      : Expression::repeat_flat(std::move(e), low, high);
        return true;
    }

    // Does {m}, {m,} or {m,n} come next? Any other brace, and a lone ], is a plain character, as in
    // JavaScript without the flag u and in Python: people write `}$` and `{id}`. Only {,n} has two
    // meanings: Python repeats, JavaScript reads the characters.
    bool counts_ahead() const {
        std::size_t end = 1, comma = 0;
        for (; is_digit(peek(end)) || (peek(end) == ',' && end > 1 && comma == 0); ++end)
            if (peek(end) == ',') comma = end;
        return peek() == '{' && end > 1 && peek(end) == '}';
    }

    bool two_meanings_ahead() const {
        std::size_t end = 2;
        while (is_digit(peek(end))) ++end;
        return peek() == '{' && peek(1) == ',' && peek(end) == '}';
    }

    int number() {
        if (!is_digit(peek())) fail("expected a number");
        int n = 0;
        for (; is_digit(peek()); ++at_) {
            n = n * 10 + (peek() - '0');
            if (n > max_repeats)
                fail("more than " + std::to_string(max_repeats) +
                     " repetitions; use smaller numbers, or omit the upper limit");
        }
        return n;
    }

    Expression atom(int depth) {
        const std::int32_t c = peek();
        if (c == '(') return group(depth);
        if (c == '[') return Expression::characters(char_class());
        if (c == '\\') return escape();
        if (c == '*' || c == '+' || c == '?' || counts_ahead())
            fail("nothing to repeat here; write \\ before the character to match it literally");
        if (two_meanings_ahead())
            fail("{,n} has two meanings; write {0,n} to repeat, or \\{ for the character");
        ++at_;
        if (c == '^') return checked(Expression::at(Kind::begin));
        if (c == '$') return checked(Expression::at(Kind::end));
        if (c == '.') return Expression::characters(line_ends().complement());
        return Expression::characters(CodePointSet(c, c));
    }

    Expression group(int depth) {
        if (depth >= max_group_depth)
            fail("groups are nested more than " + std::to_string(max_group_depth) + " deep");
        ++at_;
        if (take('?') && !take(':')) {
            for (const auto& [sign, kind] : looks)
                if (take(sign)) return look(kind, depth);
            if (!take('<') && !take("P<"))  // Python's names have a P
                fail("flags (?i) and groups (?…) are not supported, except (?:…) and (?<name>…)");
            while (!at_end() && peek() != '>') ++at_;
            if (!take('>')) fail("expected '>' after the name of the group");
        }
        Expression e = choice(depth + 1);
        if (!take(')')) fail("expected ')' at the end of a group");
        // (?:$)? is no anchor itself, and may be repeated.
        return e.kind >= Kind::begin ? Expression::sequence({std::move(e)}) : e;
    }

    static constexpr std::pair<std::string_view, Kind> looks[] = {
        {"=", Kind::ahead}, {"!", Kind::not_ahead}, {"<=", Kind::before}, {"<!", Kind::not_before}};

    Expression look(Kind kind, int depth) {
        const bool outer = std::exchange(kind <= Kind::not_ahead ? in_ahead_ : in_before_, true);
        Expression e = Expression::look(kind, choice(depth + 1));
        (kind <= Kind::not_ahead ? in_ahead_ : in_before_) = outer;
        if (!take(')')) fail("expected ')' at the end of a look-around");
        return checked(std::move(e));
    }
    // A look-ahead is an automaton of what follows, which does not know what came before, and a
    // look-behind the reverse. But where the text begins is known.
    Expression checked(Expression e) const {
        const bool back = e.kind >= Kind::before;
        if (in_ahead_ && back) fail("a look-behind inside a look-ahead is not supported");
        if (in_before_ && !back && e.kind != Kind::begin)
            fail("$ or a look-ahead inside a look-behind is not supported");
        return e;
    }

    // \b: a word ends here or begins. \B: neither.
    static Expression boundary(bool here) {
        const Expression w = Expression::characters(word());
        const auto one = [&](Kind before, Kind after) {
            return Expression::sequence({Expression::look(before, w), Expression::look(after, w)});
        };
        return Expression::choice({one(Kind::before, here ? Kind::not_ahead : Kind::ahead),
                                   one(Kind::not_before, here ? Kind::ahead : Kind::not_ahead)});
    }

    Expression escape() {
        const std::int32_t e = peek(1);
        if (e == 'b' || e == 'B') {
            if (in_ahead_ || in_before_) fail("\\b inside a look-around is not supported");
            at_ += 2;
            return boundary(e == 'b');
        }
        if (e == 'A' || e == 'Z' || e == 'z') {  // Python's names for the ends of the text
            at_ += 2;
            return checked(Expression::at(e == 'A' ? Kind::begin : Kind::end));
        }
        if (e == 'k' || (e >= '1' && e <= '9'))
            fail("a back reference is not supported: no automaton can decide it");
        return Expression::characters(escaped());
    }

    // A backslash and the escape after it, inside or outside a class.
    CodePointSet escaped() {
        ++at_;
        if (at_end()) fail("expected a character after '\\'");
        const std::int32_t c = text_[at_++];
        const auto only = [](std::int32_t point) { return CodePointSet(point, point); };
        const std::int32_t lower = c | 0x20;
        if (lower == 'd' || lower == 'w' || lower == 's') {
            const CodePointSet set = lower == 'd' ? digits() : lower == 'w' ? word() : space();
            return c == lower ? set : set.complement();
        }
        constexpr std::u32string_view letters = U"ntrfv", meant = U"\n\t\r\f\v";
        if (const auto i = letters.find(static_cast<char32_t>(c)); i != letters.npos)
            return only(static_cast<std::int32_t>(meant[i]));
        switch (c) {
            case '0':
                if (is_digit(peek())) fail("an octal escape is not supported; use \\xHH");
                return only(0);
            case 'x':
                return only(hexadecimal(2));
            case 'u':
                return only(unicode());
            case 'c':
                if (!((peek() | 0x20) >= 'a' && (peek() | 0x20) <= 'z'))
                    fail("expected a letter after \\c");
                return only(text_[at_++] & 31);
            case 'p':
            case 'P': {
                std::string property;
                if (!take('{')) fail("expected {name} after \\p");
                while (!at_end() && peek() != '}') append_utf8(property, text_[at_++]);
                if (!take('}')) fail("expected '}' after the name of a property");
                for (const char* prefix : {"General_Category=", "gc="}) {
                    if (property.rfind(prefix, 0) == 0)
                        property = property.substr(std::string(prefix).size());
                }
                const CodePointSet set = category(property);
                if (set.empty())
                    fail("the property \\p{" + property +
                         "} is not supported; general categories such as L, Lu or Letter "
                         "are");
                return c == 'p' ? set : set.complement();
            }
            default:
                break;
        }
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
        if (letter)
            fail("the escape \\" + std::string(1, static_cast<char>(c)) + " is not supported");
        return only(c);
    }

    std::int32_t hexadecimal(int count) {
        std::int32_t value = 0;
        for (int i = 0; i < count; ++i, ++at_) {
            const std::int32_t c = peek(), low = c | 0x20;
            if (!is_digit(c) && !(low >= 'a' && low <= 'f'))
                fail("expected " + std::to_string(count) + " hexadecimal digits");
            value = value * 16 + (is_digit(c) ? c - '0' : low - 'a' + 10);
        }
        return value;
    }

    std::int32_t unicode() {
        std::int32_t value = 0;
        if (take('{')) {
            std::size_t digits = 0;
            while (peek(digits) >= 0 && peek(digits) != '}') ++digits;
            if (digits == 0 || digits > 6)
                fail("expected one to six hexadecimal digits between \\u{ and }");
            value = hexadecimal(to_int(digits));
            if (!take('}')) fail("expected '}' after \\u{…");
        } else {
            value = hexadecimal(4);
            if (value >= 0xd800 && value < 0xdc00 && take("\\u")) {
                const std::int32_t low = hexadecimal(4);
                if (low < 0xdc00 || low > 0xdfff)
                    fail(
                        "a high surrogate \\uD800 to \\uDBFF without a low surrogate \\uDC00 to "
                        "\\uDFFF after it");
                value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
            }
        }
        if (value < 0 || value > CodePointSet::highest || (value >= 0xd800 && value <= 0xdfff))
            fail("an escape that is not a Unicode character");
        return value;
    }

    CodePointSet char_class() {
        ++at_;
        const bool negated = take('^');
        CodePointSet set;
        while (!take(']')) {
            if (at_end()) fail("expected ']' at the end of a class");
            std::int32_t low = -1, high = -1;
            const CodePointSet first = class_member(low);
            if (peek() == '-' && peek(1) != ']' && peek(1) >= 0) {
                ++at_;
                const CodePointSet last = class_member(high);
                if (low < 0 || high < 0) {  // beside a class such as \w, a hyphen is a character
                    set.add(first), set.add('-', '-'), set.add(last);
                    continue;
                }
                if (high < low) fail("a range whose end comes before its beginning");
                set.add(low, high);
            } else {
                set.add(first);
            }
        }
        return negated ? set.complement() : set;
    }

    // Sets `point` to the character, unless the member is a class of several such as \d.
    CodePointSet class_member(std::int32_t& point) {
        if (peek() == '\\' && (peek(1) == 'b' || peek(1) == '-')) {
            point = peek(1) == 'b' ? std::int32_t{'\b'} : std::int32_t{'-'};
            at_ += 2;
            return {point, point};
        }
        if (peek() == '\\') {
            CodePointSet set = escaped();
            if (set.count() == 1) point = set.ranges()[0].low;
            return set;
        }
        point = text_[at_++];
        return {point, point};
    }

    std::string name_;
    bool in_ahead_ = false, in_before_ = false;
};

}  // namespace

Expression parse_regex(std::string_view text, const std::string& name) {
    return Parser(text, name).parse();
}

Dfa regex_full_match(std::string_view text, const std::string& name) {
    return Dfa::of(parse_regex(text, name));
}

Dfa regex_search(std::string_view text, const std::string& name) {
    const Expression anything =
        Expression::repeat(Expression::characters(CodePointSet::all()), 0, Expression::unlimited);
    return Dfa::of(Expression::sequence({anything, parse_regex(text, name), anything}));
}

}  // namespace tbt
