// The lexer of Jinja templates: splits a template into the texts between its tags and the tokens
// inside the tags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace tbt::jinja
