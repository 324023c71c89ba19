// A Jinja template: its tokens, its syntax tree, and what runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/chat/jinja_value.hpp"

namespace tbt::jinja {

struct Token {
    // text: the text between tags. print: "{{". block: "{%". end: "}}" or "%}".
    enum Kind { text, print, block, end, name, string, integer, number, op, end_of_file } kind;
    std::string value;  // for strings, with escapes replaced
    int line = 1;
    bool is(Kind k, std::string_view v) const { return kind == k && value == v; }
};

// The tokens of a template; the last one is end_of_file. trim_blocks and lstrip_blocks are set, as
// in transformers: a line that has nothing but a block leaves no empty line. Throws Error
// "line N: …".
std::vector<Token> tokens_of(std::string_view source);

[[noreturn]] void fail_at(int line, const std::string& what);

struct Expression {
    // literal    value                            conditional  then if condition else otherwise
    // variable   name                             attribute    object.name
    // list       items; name: "tuple" if it is one  item         object[key]
    // dict       key, value, key, value, …        slice        object[begin:end:step]
    // unary      name operand: "not", "-", "+"    call         function(arguments)
    // binary     left name right                  filter       operand | name(arguments)
    //                                             test         operand is name(arguments)
    enum Kind {
        literal,
        variable,
        list,
        dict,
        unary,
        binary,
        conditional,
        attribute,
        item,
        slice,
        call,
        filter,
        test
    } kind = literal;
    int line = 1;
    int depth = 1;  // the height of this tree
    std::string name;
    Value value;
    std::vector<Expression> parts;   // in the order above; a part of a slice may be undefined
    std::vector<std::string> names;  // the names of named arguments, which are the last parts
};

struct Statement {
    enum Kind {
        text,      // value
        print,     // expressions[0]
        branches,  // if expressions[i] then bodies[i] …; one body more: else
        loop,      // for names in expressions[0] if expressions[1]: bodies[0], else bodies[1]
        set,       // names[0], or names[0].names[1], = expressions[0]
        capture,   // names[0] = what bodies[0] writes
        macro,  // names[0](names[1…]), the last of them with expressions as defaults: bodies[0]
        skip,   // continue
        leave   // break
    } kind = text;
    int line = 1;
    MarkedText value;
    std::vector<std::string> names;
    std::vector<Expression> expressions;
    std::vector<std::vector<Statement>> bodies;
};

using Body = std::vector<Statement>;

// Parses a template. Throws Error "line N: …" if it has wrong syntax, or, with its name, for
// something that is not supported.
Body parse(std::string_view source);

// The text that a template writes with these variables. `now` is the time of strftime_now(), in
// seconds since 1970; without it the function does not exist. Throws Error "line N: …", also if the
// template calls raise_exception or takes too much work.
MarkedText rendered(const Body& body, std::vector<std::pair<std::string, Value>> variables,
                    std::optional<std::int64_t> now = std::nullopt);

}  // namespace tbt::jinja
