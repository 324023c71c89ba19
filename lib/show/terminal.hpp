// Helpers for output in a terminal: bars, visible tokens, padding, wrapping, colours.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace tbt {

// A bar of block characters, exact to an eighth of a column: bar(0.5, 10) is "█████". Fractions
// outside [0, 1] are clamped.
std::string bar(double fraction, int width);

// A token's bytes made visible: a leading space as "·", newline as "⏎", bytes that are
// not UTF-8 as "<E2>".
std::string visible(std::string_view bytes);

// The number of columns a text takes in a terminal: a CJK character or an emoji two, an accent that
// joins the letter before it none.
int columns(std::string_view text);
// The number of bytes of the text that fit into `width` columns, in whole characters.
std::size_t bytes_that_fit(std::string_view text, int width);
// The text, padded with spaces to `width` columns; if it is longer, it is shortened with "…".
std::string padded(std::string_view text, int width);

// Prints a text on indented lines of at most 76 columns. After `lines` lines it ends with "…".
void print_wrapped(std::string_view text, int lines = 100);

// Escape sequences for colours. They are empty unless the stream is a terminal and the environment
// variable NO_COLOR is not set.
struct Style {
    explicit Style(std::FILE* stream = stdout);
    std::string_view bold, dim, red, green, yellow, blue, reset;
};

}  // namespace tbt
