#include "lib/grammar/recognizer/gbnf.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

using Kind = Expression::Kind;
constexpr int max_repeats = 100000;
constexpr int max_group_depth = 500;  // groups are parsed by recursion
bool is_name(std::int32_t c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

class Parser : CodePointReader {
public:
    Parser(std::string_view text, const std::string& name)
        : CodePointReader(code_points_of(text, name)), name_(name) {}

    NamedRules parse() {
        rule_of("root", 0);
        for (blanks(true); !at_end(); blanks(true)) parse_rule();
        for (std::size_t i = 0; i < rules_.names.size(); ++i) {
            if (defined_[i]) continue;
            if (i == 0)
                throw UsageError(
                    name_ +
                    ": there is no rule 'root', from which the text is derived; write root ::= …");
            fail("the rule '" + rules_.names[i] + "' is not defined", used_[i]);
        }
        for (const std::size_t where : used_) rules_.places.push_back(place_of(where));
        return std::move(rules_);
    }

private:
    std::string place_of(std::size_t where) const { return name_ + ":" + line_and_column(where); }
    [[noreturn]] void fail(const std::string& what, std::size_t where) const {
        throw UsageError(place_of(where) + ": " + what);
    }
    [[noreturn]] void expected(const std::string& what) const {
        std::string got = "the end of the grammar";
        if (peek() == '\n') got = "the end of the line";
        if (peek() >= 0 && peek() != '\n') {
            std::string c;
            append_utf8(c, peek());
            got = peek() == 0xfeff ? "a byte order mark; save the text without"
                                   : "'" + visible(c) + "'";
        }
        fail("expected " + what + ", got " + got, at_);
    }

    void blanks(bool newlines) {
        for (;; ++at_) {
            if (peek() == '#') {
                while (!at_end() && peek() != '\n' && peek() != '\r') ++at_;
                if (at_end()) return;
            }
            const bool blank =
                peek() == ' ' || peek() == '\t' || (newlines && (peek() == '\n' || peek() == '\r'));
            if (!blank) return;
        }
    }

    int rule_of(const std::string& name, std::size_t where) {
        const auto [place, added] = numbers_.try_emplace(name, count(rules_.names));
        if (added) {
            rules_.names.push_back(name);
            rules_.bodies.emplace_back();
            defined_.push_back(false);
            used_.push_back(where);
        }
        return place->second;
    }

    std::string name_here(const char* what) {
        std::string name;
        while (is_name(peek())) name += static_cast<char>(text_[at_++]);
        if (peek() == '_')
            fail(
                "expected a letter, a digit or '-' in the name of a rule, got '_'; write a-b "
                "instead of a_b",
                at_);
        if (name.empty()) expected(what);
        return name;
    }

    void parse_rule() {
        const std::size_t where = at_;
        const int rule = rule_of(name_here("the name of a rule"), where);
        if (defined_[index(rule)])
            fail("the rule '" + rules_.names[index(rule)] + "' is defined a second time", where);
        defined_[index(rule)] = true;
        used_[index(rule)] = where;
        blanks(false);
        if (!(peek() == ':' && peek(1) == ':' && peek(2) == '=')) expected("::=");
        at_ += 3;
        blanks(true);
        rules_.bodies[index(rule)] = parse_choice(0);
        if (peek() == '\r' && peek(1) == '\n') ++at_;
        if (!at_end() && peek() != '\n' && peek() != '\r')
            expected("a literal, a class, a rule, a group, '|' or the end of the line");
    }

    Expression parse_choice(int depth) {
        std::vector<Expression> choices{parse_sequence(depth)};
        while (take('|')) {
            blanks(true);
            choices.push_back(parse_sequence(depth));
        }
        return choices.size() == 1 ? std::move(choices[0]) : Expression::choice(std::move(choices));
    }

    Expression parse_sequence(int depth) {
        std::vector<Expression> parts;
        for (bool more = true; more; blanks(depth > 0)) {
            const std::int32_t c = peek();
            if (c == '"') {
                parts.push_back(parse_literal());
            } else if (c == '[') {
                parts.push_back(parse_class());
            } else if (c == '.') {
                ++at_;
                parts.push_back(Expression::characters(CodePointSet::all()));
            } else if (c == '(') {
                if (depth >= max_group_depth)
                    fail("groups are nested more than " + std::to_string(max_group_depth) +
                             " deep; make some of them rules",
                         at_);
                ++at_;
                blanks(true);
                parts.push_back(parse_choice(depth + 1));
                if (!take(')')) expected("')'");
            } else if (is_name(c) || c == '_') {
                const std::size_t where = at_;
                parts.push_back(
                    Expression::of_rule(rule_of(name_here("the name of a rule"), where)));
            } else if (c == '*' || c == '+' || c == '?' || c == '{') {
                if (parts.empty()) fail("expected something to repeat before the repetition", at_);
                parse_repetition(parts.back());
            } else if (c == '<' || (c == '!' && peek(1) == '<')) {
                fail("tokens <…> are not supported; write the token's text as a literal", at_);
            } else {
                more = false;
            }
        }
        return parts.size() == 1 ? std::move(parts[0]) : Expression::sequence(std::move(parts));
    }

    void parse_repetition(Expression& what) {
        int low = 0, high = Expression::unlimited;
        const std::size_t where = at_;
        if (take('+')) {
            low = 1;
        } else if (take('?')) {
            high = 1;
        } else if (!take('*')) {
            ++at_;
            blanks(true);
            low = high = number();
            blanks(true);
            if (take(',')) {
                blanks(true);
                high = is_digit(peek()) ? number() : Expression::unlimited;
                blanks(true);
            }
            if (!take('}')) expected("'}'");
            if (high != Expression::unlimited && high < low)
                fail("a repetition of " + std::to_string(low) + " to " + std::to_string(high) +
                         " times, expected the smaller number first",
                     where);
        }
        what = Expression::repeat_flat(std::move(what), low, high);
    }

    int number() {
        if (!is_digit(peek())) expected("a number");
        int n = 0;
        const std::size_t where = at_;
        for (; is_digit(peek()); ++at_) {
            n = n * 10 + (peek() - '0');
            if (n > max_repeats)
                fail("more than " + std::to_string(max_repeats) +
                         " repetitions; leave the upper limit open: {m,}",
                     where);
        }
        return n;
    }

    Expression parse_literal() {
        const std::size_t where = at_++;
        std::string text;
        while (!take('"')) {
            if (at_end()) fail("expected '\"' at the end of the literal that begins here", where);
            append_utf8(text, character());
        }
        return Expression::literal(std::move(text));
    }

    Expression parse_class() {
        const std::size_t where = at_++;
        const bool negated = take('^');
        CodePointSet set;
        while (!take(']')) {
            if (at_end()) fail("expected ']' at the end of the class that begins here", where);
            const std::size_t place = at_;
            const std::int32_t low = character();
            std::int32_t high = low;
            if (peek() == '-' && peek(1) != ']' && peek(1) >= 0) {
                ++at_;
                high = character();
            }
            if (high < low) fail("a range whose end comes before its beginning", place);
            set.add(low, high);
        }
        if (set.empty() && !negated)
            fail("an empty class matches no character; expected characters between [ and ]", where);
        return Expression::characters(negated ? set.complement() : set);
    }

    std::int32_t character() {
        const std::size_t where = at_;
        const std::int32_t c = text_[at_++];
        if (c != '\\') return c;
        if (at_end()) expected("an escaped character after '\\'");
        switch (const std::int32_t e = text_[at_++]) {
            case 'n':
                return '\n';
            case 't':
                return '\t';
            case 'r':
                return '\r';
            case '\\':
            case '"':
            case '[':
            case ']':
                return e;
            case 'x':
                return hexadecimal(2, where);
            case 'u':
                return hexadecimal(4, where);
            case 'U':
                return hexadecimal(8, where);
            default:
                --at_;
                expected("one of n t r \\ \" [ ] x u U after '\\'");
        }
    }

    std::int32_t hexadecimal(int digits, std::size_t where) {
        std::int64_t value = 0;
        for (int i = 0; i < digits; ++i, ++at_) {
            const std::int32_t c = peek(), letter = c | 0x20;
            if (!is_digit(c) && !(letter >= 'a' && letter <= 'f'))
                expected(std::to_string(digits) + " hexadecimal digits");
            value = value * 16 + (is_digit(c) ? c - '0' : letter - 'a' + 10);
        }
        if (value > CodePointSet::highest || (value >= 0xd800 && value <= 0xdfff))
            fail(
                "an escape that is not a Unicode character; expected up to 10FFFF without D800 to "
                "DFFF",
                where);
        return static_cast<std::int32_t>(value);
    }

    std::string name_;
    NamedRules rules_;
    std::map<std::string, int> numbers_;
    std::vector<bool> defined_;
    std::vector<std::size_t> used_;
};

}  // namespace

NamedRules parse_gbnf(std::string_view text, const std::string& name) {
    return Parser(text, name).parse();
}

Grammar compile_gbnf(std::string_view text, const std::string& name) {
    const NamedRules rules = parse_gbnf(text, name);
    try {
        return compile_rules(rules);
    } catch (const LeftRecursion& e) {
        throw UsageError(rules.places[index(e.rule)] + ": " + e.what());
    }
}

std::function<std::string(std::string_view text)> words_of_gbnf(std::string_view grammar,
                                                                const std::string& name) {
    const auto recognizer =
        std::make_shared<GrammarRecognizer>(grammar_as_written(parse_gbnf(grammar, name)));
    return [recognizer](std::string_view text) {
        return rule_words(*recognizer, read_bytes(*recognizer, recognizer->start(), text));
    };
}

}  // namespace tbt
