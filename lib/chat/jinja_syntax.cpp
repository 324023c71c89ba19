#include "lib/chat/jinja_syntax.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "lib/chat/jinja_expressions.hpp"
#include "lib/chat/jinja_lexer.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt::jinja {

namespace {

class Parser : ExpressionParser {
public:
    explicit Parser(std::string_view source) : ExpressionParser(tokens_of(source)) {}

    Body run() {
        Body body = parse_body({});
        if (token().kind != Token::end_of_file) fail("an end tag has no opening tag");
        return body;
    }

private:
    // Parses statements up to one of these tags, whose name is then the current token.
    Body parse_body(const std::vector<std::string>& ends) {
        const Nesting nesting(*this);
        Body body;
        for (;;) {
            const Token t = token();
            if (t.kind == Token::end_of_file) {
                if (!ends.empty()) fail("the template ends before {% " + ends.back() + " %}");
                return body;
            }
            next();
            if (t.kind == Token::text) {
                body.push_back({Statement::text, t.line, MarkedText(t.value), {}, {}, {}});
            } else if (t.kind == Token::print) {
                body.push_back({Statement::print, t.line, {}, {}, {}, {}});
                body.back().expressions.push_back(expression());
                expect_end();
            } else {
                if (std::find(ends.begin(), ends.end(), token().value) != ends.end()) return body;
                body.push_back(parse_block());
            }
        }
    }

    Statement parse_block() {
        Statement s;
        s.line = token().line;
        const std::string tag = name("a tag's name");
        if (tag == "if") parse_branches(s);
        else if (tag == "for") parse_loop(s);
        else if (tag == "set") parse_set(s);
        else if (tag == "macro") parse_macro(s);
        else if (tag == "generation") parse_group(s);
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

    void close(const char* tag) {
        if (!skip_name(tag)) fail(std::string("expected {% ") + tag + " %}");
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
        close("endif");
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
        close("endfor");
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
        close("endset");
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
        close("endmacro");
    }

    // {% generation %}: transformers marks the assistant's text with it. It does not change the
    // text.
    void parse_group(Statement& s) {
        s.kind = Statement::group;
        expect_end();
        s.bodies.push_back(parse_body({"endgeneration"}));
        close("endgeneration");
    }

    int loops_ = 0;  // the number of loops around the current statement
};

}  // namespace

Body parse(std::string_view source) { return Parser(source).run(); }

}  // namespace tbt::jinja
