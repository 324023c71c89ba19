// Parses the expressions of a Jinja template by recursive descent, with Jinja's precedence of
// operators.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/chat/jinja_lexer.hpp"
#include "lib/chat/jinja_syntax.hpp"

namespace tbt::jinja {

class ExpressionParser {
public:
    explicit ExpressionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

protected:
    const Token& token() const { return tokens_[at_]; }
    void next() { at_ += at_ + 1 < tokens_.size() ? 1 : 0; }
    bool skip_name(std::string_view name) { return skip(Token::name, name); }
    bool skip_op(std::string_view op) { return skip(Token::op, op); }
    void expect_op(std::string_view op);
    void expect_end();
    std::string name(const char* what);
    [[noreturn]] void fail(const std::string& what) const { fail_at(token().line, what); }

    // Parses an expression. conditional: "… if … else …" is allowed.
    Expression expression(bool conditional = true);

    // Counts the depth of nested expressions while it lives. The constructor throws Error if it is
    // too large.
    class Nesting {
    public:
        explicit Nesting(ExpressionParser& parser) : parser_(parser) {
            if (++parser_.nesting_ > max_expression_depth)
                parser_.fail("nested deeper than " + std::to_string(max_expression_depth));
        }
        ~Nesting() { --parser_.nesting_; }
        Nesting(const Nesting&) = delete;

    private:
        ExpressionParser& parser_;
    };

private:
    bool skip(Token::Kind kind, std::string_view value);
    Expression node(Expression::Kind kind, std::string name, std::vector<Expression> parts) const;
    Expression binary(std::size_t level);
    Expression comparison();
    Expression unary();
    Expression primary();
    Expression after_dot(Expression object);
    Expression subscript(Expression object);
    Expression applied(Expression operand);  // filters, tests and calls
    Expression test(Expression operand);
    void arguments(Expression& call);
    std::vector<Expression> items(std::string_view closing, bool pairs);

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int nesting_ = 0;
};

}  // namespace tbt::jinja
