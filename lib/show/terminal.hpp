// Small helpers for programs that show what they do in a terminal.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace tbt {

// A bar of block characters, to an eighth of a cell: bar(0.5, 10) is "█████".
// Values outside [0, 1] are cut.
std::string bar(double fraction, int width);

// A token's bytes made visible: a leading space as "·", newline as "⏎", bytes that are
// not UTF-8 as "<E2>".
std::string visible(std::string_view bytes);

// The number of columns a text takes in a terminal: a CJK character or an emoji two, an accent that
// joins the letter before it none.
int columns(std::string_view text);
// How many bytes of it fit into `width` columns, whole characters.
std::size_t bytes_that_fit(std::string_view text, int width);
// The text, followed by spaces up to `width` columns; cut with "…" when it is longer.
std::string padded(std::string_view text, int width);

// A text on lines of at most 76 columns, indented; after `lines` lines it ends in "…".
void print_wrapped(std::string_view text, int lines = 100);

// Escape sequences, empty unless the stream is a terminal and NO_COLOR is not set.
struct Style {
    explicit Style(std::FILE* stream = stdout);
    std::string_view bold, dim, red, green, yellow, blue, reset;
};

}  // namespace tbt
