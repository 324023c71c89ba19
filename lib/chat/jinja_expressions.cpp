#include "lib/chat/jinja_expressions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "lib/core/unicode.hpp"

namespace tbt::jinja {

bool ExpressionParser::skip(Token::Kind kind, std::string_view value) {
    const bool found = token().is(kind, value);
    if (found) next();
    return found;
}

void ExpressionParser::expect_op(std::string_view op) {
    if (!skip_op(op)) {
        const Token& got = token();
        fail("expected \"" + std::string(op) + "\"" +
             (got.kind == Token::end ? " before the tag ends"
                                     : ", got \"" + shown(got.value) + "\""));
    }
}

void ExpressionParser::expect_end() {
    if (token().kind != Token::end)
        fail("\"" + shown(token().value) + "\" is left over at the end of a tag");
    next();
}

std::string ExpressionParser::name(const char* what) {
    if (token().kind != Token::name) fail(std::string("expected ") + what);
    std::string value = token().value;
    next();
    return value;
}

Expression ExpressionParser::node(Expression::Kind kind, std::string name,
                                  std::vector<Expression> parts) const {
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

Expression ExpressionParser::expression(bool conditional) {
    const Nesting nesting(*this);
    Expression e = binary(0);
    while (conditional && skip_name("if")) {
        std::vector<Expression> parts;
        parts.push_back(std::move(e));
        parts.push_back(binary(0));
        if (skip_name("else")) parts.push_back(expression());
        e = node(Expression::conditional, "", std::move(parts));
    }
    return e;
}

// Binary operators by precedence, lowest first: or; and; (not; comparisons;) + -; ~; * / // %.
Expression ExpressionParser::binary(std::size_t level) {
    static const std::vector<std::vector<std::string_view>> levels = {
        {"or"}, {"and"}, {"+", "-"}, {"~"}, {"*", "/", "//", "%"}};
    constexpr std::size_t comparisons = 2;
    const auto operand = [&](std::size_t next_level) {
        return next_level == levels.size() ? unary() : binary(next_level);
    };
    const auto deeper = [&] {
        return level + 1 == comparisons ? comparison() : operand(level + 1);
    };
    Expression e = deeper();
    for (;;) {
        const auto& operators = levels[level];
        const Token& t = token();
        const bool word = t.kind == Token::op || (t.kind == Token::name && level < comparisons);
        if (!word || std::find(operators.begin(), operators.end(), t.value) == operators.end())
            return e;
        std::string op = t.value;
        next();
        std::vector<Expression> parts;
        parts.push_back(std::move(e));
        parts.push_back(deeper());
        e = node(Expression::binary, std::move(op), std::move(parts));
    }
}

Expression ExpressionParser::comparison() {
    constexpr std::size_t sums = 2;
    std::vector<Expression> parts;
    if (skip_name("not")) {
        const Nesting nesting(*this);
        parts.push_back(comparison());
        return node(Expression::unary, "not", std::move(parts));
    }
    Expression e = binary(sums);
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
        if (compared > 0) fail("comparisons in a row (a < b < c) are not supported, use \"and\"");
        next();
        parts.clear();
        parts.push_back(std::move(e));
        parts.push_back(binary(sums));
        e = node(Expression::binary, std::move(op), std::move(parts));
    }
}

Expression ExpressionParser::unary() {
    for (const char* sign : {"-", "+"})
        if (skip_op(sign)) {
            const Nesting nesting(*this);
            // As in Jinja, a filter after a number with a sign applies to the signed number.
            Expression operand =
                token().is(Token::op, "-") || token().is(Token::op, "+") ? unary() : primary();
            std::vector<Expression> parts;
            parts.push_back(std::move(operand));
            return applied(node(Expression::unary, sign, std::move(parts)));
        }
    return applied(primary());
}

// Parses a value with everything that follows it directly: .name, [key], (arguments).
Expression ExpressionParser::primary() {
    const Token t = token();
    Expression e = node(Expression::literal, "", {});
    next();
    if (t.kind == Token::string) {
        std::string text = t.value;
        for (; token().kind == Token::string; next()) text += token().value;
        e.value = text_of(std::move(text));
    } else if (t.kind == Token::integer) {
        std::int64_t value = 0;
        std::from_chars(t.value.data(), t.value.data() + t.value.size(), value);
        e.value = value;
    } else if (t.kind == Token::number) {
        double value = 0;
        std::from_chars(t.value.data(), t.value.data() + t.value.size(), value);
        e.value = value;
    } else if (t.kind == Token::name) {
        if (t.value == "true" || t.value == "True") e.value = true;
        else if (t.value == "false" || t.value == "False") e.value = false;
        else if (t.value == "none" || t.value == "None") e.value = None{};
        else e = node(Expression::variable, t.value, {});
    } else if (t.is(Token::op, "(")) {
        e = expression();
        if (token().is(Token::op, ",")) {
            next();
            std::vector<Expression> rest = items(")", false);
            rest.insert(rest.begin(), std::move(e));
            e = node(Expression::list, "tuple", std::move(rest));
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
            std::vector<Expression> parts;
            parts.push_back(std::move(e));
            e = node(Expression::call, "", std::move(parts));
            arguments(e);
        } else {
            return e;
        }
    }
}

// Parses items up to the closing bracket, which is read, too.
std::vector<Expression> ExpressionParser::items(std::string_view closing, bool pairs) {
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

Expression ExpressionParser::after_dot(Expression object) {
    std::vector<Expression> parts;
    parts.push_back(std::move(object));
    if (token().kind == Token::integer) {
        parts.push_back(primary());
        return node(Expression::item, "", std::move(parts));
    }
    std::string member = name("a name after \".\"");
    return node(Expression::attribute, std::move(member), std::move(parts));
}

Expression ExpressionParser::subscript(Expression object) {
    std::vector<Expression> parts;
    parts.push_back(std::move(object));
    bool is_slice = false;
    Expression nothing;
    for (;;) {
        const bool empty = token().is(Token::op, ":") || token().is(Token::op, "]");
        parts.push_back(empty ? nothing : expression());
        if (!skip_op(":")) break;
        is_slice = true;
    }
    expect_op("]");
    if (is_slice && parts.size() > 4) fail("a slice has more than three parts");
    if (!is_slice && parts[1].kind == Expression::literal && parts[1].value.is_undefined())
        fail("[] holds nothing, expected a key");
    return node(is_slice ? Expression::slice : Expression::item, "", std::move(parts));
}

Expression ExpressionParser::applied(Expression operand) {
    for (;;) {
        std::vector<Expression> parts;
        if (skip_op("|")) {
            std::string filter = name("a filter's name");
            parts.push_back(std::move(operand));
            operand = node(Expression::filter, std::move(filter), std::move(parts));
            if (skip_op("(")) arguments(operand);
        } else if (skip_name("is")) {
            operand = test(std::move(operand));
        } else {
            return operand;
        }
    }
}

// operand is [not] name [argument]
Expression ExpressionParser::test(Expression operand) {
    const bool negated = skip_name("not");
    std::vector<Expression> parts;
    std::string which = name("a test's name");
    parts.push_back(std::move(operand));
    Expression e = node(Expression::test, std::move(which), std::move(parts));
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
    if (!negated) return e;
    parts.clear();
    parts.push_back(std::move(e));
    return node(Expression::unary, "not", std::move(parts));
}

// Parses arguments up to the closing parenthesis, which is read, too.
void ExpressionParser::arguments(Expression& call) {
    while (!token().is(Token::op, ")")) {
        const bool is_named = token().kind == Token::name && tokens_[at_ + 1].is(Token::op, "=");
        if (is_named) {
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

}  // namespace tbt::jinja
