#include "lib/chat/jinja_parse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "lib/core/unicode.hpp"

namespace tbt::jinja {

namespace {

// Recursive descent, with Jinja's precedence of operators.
constexpr int max_expression_depth = 100;

template <class... Parts>
std::vector<Expression> parts_of(Parts&&... parts) {
    std::vector<Expression> all;
    (all.push_back(std::forward<Parts>(parts)), ...);
    return all;
}

template <class Number>
Number number_in(std::string_view text) {
    Number value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

class Parser {
public:
    explicit Parser(std::string_view source) : tokens_(tokens_of(source)) {}

    Body run() {
        Body body = parse_body({});
        if (token().kind != Token::end_of_file) fail("an end tag has no opening tag");
        return body;
    }

private:
    const Token& token() const { return tokens_[at_]; }
    void next() { at_ += at_ + 1 < tokens_.size() ? 1 : 0; }
    bool skip(Token::Kind kind, std::string_view value) {
        const bool found = token().is(kind, value);
        if (found) next();
        return found;
    }
    bool skip_name(std::string_view name) { return skip(Token::name, name); }
    bool skip_op(std::string_view op) { return skip(Token::op, op); }
    void expect_op(std::string_view op) {
        if (skip_op(op)) return;
        const Token& got = token();
        fail("expected \"" + std::string(op) + "\"" +
             (got.kind == Token::end ? " before the tag ends"
                                     : ", got \"" + shown(got.value) + "\""));
    }
    void expect_end() {
        if (token().kind != Token::end)
            fail("\"" + shown(token().value) + "\" is left over at the end of a tag");
        next();
    }
    std::string name(const char* what) {
        if (token().kind != Token::name) fail(std::string("expected ") + what);
        std::string value = token().value;
        next();
        return value;
    }
    [[noreturn]] void fail(const std::string& what) const { fail_at(token().line, what); }

    void nest() {
        if (++nesting_ > max_expression_depth)
            fail("nested deeper than " + std::to_string(max_expression_depth));
    }

    // ---- expressions ----------------------------------------------------------------------------
    Expression node(Expression::Kind kind, std::string name, std::vector<Expression> parts) const {
        Expression e;
        e.kind = kind;
        e.line = token().line;
        e.name = std::move(name);
        for (const Expression& part : parts) e.depth = std::max(e.depth, part.depth + 1);
        if (e.depth > max_expression_depth)
            fail("an expression is nested deeper than " + std::to_string(max_expression_depth));
        e.parts = std::move(parts);
        return e;
    }

    // conditional: "… if … else …" is allowed.
    Expression expression(bool conditional = true) {
        nest();
        Expression e = binary(0);
        while (conditional && skip_name("if")) {
            std::vector<Expression> parts = parts_of(std::move(e), binary(0));
            if (skip_name("else")) parts.push_back(expression());
            e = node(Expression::conditional, "", std::move(parts));
        }
        --nesting_;
        return e;
    }

    // Binary operators by precedence, lowest first: or; and; (not; comparisons;) + -; ~; * / // %.
    static constexpr std::size_t comparisons = 2;
    Expression binary(std::size_t level) {
        static const std::vector<std::vector<std::string_view>> levels = {
            {"or"}, {"and"}, {"+", "-"}, {"~"}, {"*", "/", "//", "%"}};
        const auto operand = [&] {
            return level + 1 == comparisons     ? comparison()
                   : level + 1 == levels.size() ? unary()
                                                : binary(level + 1);
        };
        Expression e = operand();
        for (;;) {
            const auto& operators = levels[level];
            const Token& t = token();
            const bool word = t.kind == Token::op || (t.kind == Token::name && level < comparisons);
            if (!word || std::find(operators.begin(), operators.end(), t.value) == operators.end())
                return e;
            std::string op = t.value;
            next();
            e = node(Expression::binary, std::move(op), parts_of(std::move(e), operand()));
        }
    }

    Expression comparison() {
        if (skip_name("not")) {
            nest();
            Expression e = node(Expression::unary, "not", parts_of(comparison()));
            --nesting_;
            return e;
        }
        Expression e = binary(comparisons);
        for (int compared = 0;; ++compared) {
            static constexpr std::array<std::string_view, 6> operators = {"==", "!=", "<",
                                                                          "<=", ">",  ">="};
            std::string op;
            const Token t = token();
            if (t.kind == Token::op &&
                std::find(operators.begin(), operators.end(), t.value) != operators.end())
                op = t.value;
            else if (t.is(Token::name, "in")) op = "in";
            else if (t.is(Token::name, "not") && at_ + 1 < tokens_.size() &&
                     tokens_[at_ + 1].is(Token::name, "in"))
                next(), op = "not in";
            else return e;
            if (compared > 0)
                fail("comparisons in a row (a < b < c) are not supported, use \"and\"");
            next();
            e = node(Expression::binary, std::move(op),
                     parts_of(std::move(e), binary(comparisons)));
        }
    }

    Expression unary() {
        for (const char* sign : {"-", "+"})
            if (skip_op(sign)) {
                nest();
                // As in Jinja, a filter after a number with a sign applies to the signed number.
                const bool signs = token().is(Token::op, "-") || token().is(Token::op, "+");
                Expression e =
                    applied(node(Expression::unary, sign, parts_of(signs ? unary() : primary())));
                --nesting_;
                return e;
            }
        return applied(primary());
    }

    // Parses a value with everything that follows it directly: .name, [key], (arguments).
    Expression primary() {
        const Token t = token();
        Expression e = node(Expression::literal, "", {});
        next();
        if (t.kind == Token::string) {
            std::string text = t.value;
            for (; token().kind == Token::string; next()) text += token().value;
            e.value = text_of(std::move(text));
        } else if (t.kind == Token::integer) {
            e.value = number_in<std::int64_t>(t.value);
        } else if (t.kind == Token::number) {
            e.value = number_in<double>(t.value);
        } else if (t.kind == Token::name) {
            if (t.value == "true" || t.value == "True") e.value = true;
            else if (t.value == "false" || t.value == "False") e.value = false;
            else if (t.value == "none" || t.value == "None") e.value = None{};
            else e = node(Expression::variable, t.value, {});
        } else if (t.is(Token::op, "(")) {
            e = expression();
            if (skip_op(",")) {
                std::vector<Expression> all = items(")", false);
                all.insert(all.begin(), std::move(e));
                e = node(Expression::list, "tuple", std::move(all));
            } else {
                expect_op(")");
            }
        } else if (t.is(Token::op, "[")) {
            e = node(Expression::list, "", items("]", false));
        } else if (t.is(Token::op, "{")) {
            e = node(Expression::dict, "", items("}", true));
        } else if (t.kind == Token::end) {
            fail_at(t.line, "a tag ends where a value is expected");
        } else {
            fail_at(t.line, "\"" + shown(t.value) + "\" where a value is expected");
        }
        for (;;) {
            if (skip_op(".")) e = after_dot(std::move(e));
            else if (skip_op("[")) e = subscript(std::move(e));
            else if (skip_op("(")) {
                e = node(Expression::call, "", parts_of(std::move(e)));
                arguments(e);
            } else {
                return e;
            }
        }
    }

    // Parses items up to the closing bracket, which is read, too.
    std::vector<Expression> items(std::string_view closing, bool pairs) {
        std::vector<Expression> all;
        while (!token().is(Token::op, closing)) {
            all.push_back(expression());
            if (pairs) {
                expect_op(":");
                all.push_back(expression());
            }
            if (!skip_op(",")) break;
        }
        expect_op(closing);
        return all;
    }

    Expression after_dot(Expression object) {
        if (token().kind == Token::integer) {
            Expression place = node(Expression::literal, "", {});
            place.value = number_in<std::int64_t>(token().value), next();
            return node(Expression::item, "", parts_of(std::move(object), std::move(place)));
        }
        std::string member = name("a name after \".\"");
        return node(Expression::attribute, std::move(member), parts_of(std::move(object)));
    }

    Expression subscript(Expression object) {
        std::vector<Expression> parts = parts_of(std::move(object));
        bool is_slice = false;
        for (;;) {
            const bool empty = token().is(Token::op, ":") || token().is(Token::op, "]");
            parts.push_back(empty ? Expression() : expression());
            if (!skip_op(":")) break;
            is_slice = true;
        }
        expect_op("]");
        if (is_slice && parts.size() > 4) fail("a slice has more than three parts");
        if (!is_slice && parts[1].kind == Expression::literal && parts[1].value.is_undefined())
            fail("[] holds nothing, expected a key");
        return node(is_slice ? Expression::slice : Expression::item, "", std::move(parts));
    }

    // Parses the filters and tests after a value.
    Expression applied(Expression operand) {
        for (;;) {
            if (skip_op("|")) {
                std::string filter = name("a filter's name");
                operand = node(Expression::filter, std::move(filter), parts_of(std::move(operand)));
                if (skip_op("(")) arguments(operand);
            } else if (skip_name("is")) {
                operand = test(std::move(operand));
            } else {
                return operand;
            }
        }
    }

    // operand is [not] name [argument]
    Expression test(Expression operand) {
        const bool negated = skip_name("not");
        std::string which = name("a test's name");
        Expression e = node(Expression::test, std::move(which), parts_of(std::move(operand)));
        const Token& t = token();
        const bool value =
            t.kind == Token::string || t.kind == Token::integer || t.kind == Token::number ||
            t.is(Token::op, "[") || t.is(Token::op, "{") ||
            (t.kind == Token::name && t.value != "else" && t.value != "or" && t.value != "and" &&
             t.value != "if" && t.value != "is" && t.value != "in" && t.value != "not");
        if (skip_op("(")) {
            arguments(e);
        } else if (value) {
            e.parts.push_back(primary());
            e.depth = std::max(e.depth, e.parts.back().depth + 1);
        }
        return negated ? node(Expression::unary, "not", parts_of(std::move(e))) : e;
    }

    // Parses arguments up to the closing parenthesis, which is read, too.
    void arguments(Expression& call) {
        while (!token().is(Token::op, ")")) {
            if (token().kind == Token::name && tokens_[at_ + 1].is(Token::op, "=")) {
                call.names.push_back(name("a name"));
                next();
            } else if (!call.names.empty()) {
                fail("a positional argument follows a named one");
            }
            call.parts.push_back(expression());
            call.depth = std::max(call.depth, call.parts.back().depth + 1);
            if (!skip_op(",")) break;
        }
        expect_op(")");
    }

    // ---- statements -----------------------------------------------------------------------------
    // Parses statements up to one of these tags, whose name is then the current token.
    Body parse_body(const std::vector<std::string>& ends) {
        nest();
        Body body;
        for (;;) {
            const Token t = token();
            if (t.kind == Token::end_of_file) {
                if (!ends.empty()) fail("the template ends before {% " + ends.back() + " %}");
                break;
            }
            next();
            if (t.kind == Token::text) {
                body.push_back({Statement::text, t.line, MarkedText(t.value), {}, {}, {}});
            } else if (t.kind == Token::print) {
                body.push_back({Statement::print, t.line, {}, {}, {}, {}});
                body.back().expressions.push_back(expression());
                expect_end();
            } else if (std::find(ends.begin(), ends.end(), token().value) != ends.end()) {
                break;
            } else {
                body.push_back(parse_block());
            }
        }
        --nesting_;
        return body;
    }

    Statement parse_block() {
        Statement s;
        s.line = token().line;
        const std::string tag = name("a tag's name");
        if (tag == "if") parse_branches(s);
        else if (tag == "for") parse_loop(s);
        else if (tag == "set") parse_set(s);
        else if (tag == "macro") parse_macro(s);
        else if (tag == "generation") parse_generation(s);
        else if (tag == "break" || tag == "continue") {
            if (loops_ == 0) fail("{% " + tag + " %} outside of a loop");
            s.kind = tag == "break" ? Statement::leave : Statement::skip;
            expect_end();
        } else {
            fail_at(s.line, "the tag {% " + shown(tag) +
                                " %} is not supported, expected if, for, set, macro, generation, "
                                "break or continue");
        }
        return s;
    }

    // The end tag up to which a body was parsed.
    void close() {
        next();
        expect_end();
    }

    void parse_branches(Statement& s) {
        s.kind = Statement::branches;
        for (bool more = true; more;) {
            s.expressions.push_back(expression());
            expect_end();
            s.bodies.push_back(parse_body({"elif", "else", "endif"}));
            more = skip_name("elif");
        }
        if (skip_name("else")) {
            expect_end();
            s.bodies.push_back(parse_body({"endif"}));
        }
        close();
    }

    void parse_loop(Statement& s) {
        s.kind = Statement::loop;
        do s.names.push_back(name("a loop's variable"));
        while (skip_op(","));
        if (!skip_name("in")) fail("a for loop has no \"in\"");
        s.expressions.push_back(expression(false));
        if (skip_name("if")) s.expressions.push_back(expression());
        if (token().is(Token::name, "recursive")) fail("recursive loops are not supported");
        expect_end();
        ++loops_;
        s.bodies.push_back(parse_body({"else", "endfor"}));
        --loops_;
        if (skip_name("else")) {
            expect_end();
            s.bodies.push_back(parse_body({"endfor"}));
        }
        close();
    }

    void parse_set(Statement& s) {
        s.kind = Statement::set;
        s.names.push_back(name("a variable"));
        if (skip_op(".")) s.names.push_back(name("a member"));
        if (skip_op("=")) {
            s.expressions.push_back(expression());
            return expect_end();
        }
        if (s.names.size() > 1) fail("expected \"=\"");
        expect_end();
        s.kind = Statement::capture;
        s.bodies.push_back(parse_body({"endset"}));
        close();
    }

    void parse_macro(Statement& s) {
        s.kind = Statement::macro;
        s.names.push_back(name("a macro's name"));
        expect_op("(");
        while (!token().is(Token::op, ")")) {
            s.names.push_back(name("a parameter"));
            if (skip_op("=")) s.expressions.push_back(expression());
            else if (!s.expressions.empty())
                fail("a parameter without a default follows one that has a default");
            if (!skip_op(",")) break;
        }
        expect_op(")");
        expect_end();
        const int outside = std::exchange(loops_, 0);
        s.bodies.push_back(parse_body({"endmacro"}));
        loops_ = outside;
        close();
    }

    // transformers marks the assistant's text with {% generation %}. It does not change the text.
    void parse_generation(Statement& s) {
        s.kind = Statement::branches;  // no condition: an "else" alone
        expect_end();
        s.bodies.push_back(parse_body({"endgeneration"}));
        close();
    }

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int nesting_ = 0;
    int loops_ = 0;  // the number of loops around the current statement
};

}  // namespace

Body parse(std::string_view source) { return Parser(source).run(); }

}  // namespace tbt::jinja
