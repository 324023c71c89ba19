// The syntax tree of a Jinja template, and its parser.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/chat/jinja_value.hpp"

namespace tbt::jinja {

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

}  // namespace tbt::jinja
