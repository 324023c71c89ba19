// A chat template cut into the text between its tags and the words inside them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tbt::jinja {

struct Token {
    // text: between tags. print and block: "{{" and "{%"; end: "}}" and "%}" too.
    enum Kind { text, print, block, end, name, string, integer, number, op, end_of_file } kind;
    std::string value;  // of strings with their escapes replaced
    int line = 1;
    bool is(Kind k, std::string_view v) const { return kind == k && value == v; }
};

// With trim_blocks and lstrip_blocks, as transformers sets them: a line that holds nothing but a
// block leaves no trace. The last token is end_of_file. Throws Error "line N: …".
std::vector<Token> tokens_of(std::string_view source);

[[noreturn]] void fail_at(int line, const std::string& what);

}  // namespace tbt::jinja
