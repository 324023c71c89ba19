// Splits a grammar file into logical lines for the parser: joined, without comments, and with their
// positions in the file.
#pragma once

#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt::grammar {

inline bool is_space(char c) { return c == ' ' || c == '\t'; }

// A logical line: physical lines joined at a final backslash, without comments. For each joined
// part it has the position where the part began, so that an error can name line and column.
struct Line {
    std::string text;
    struct Part {
        std::size_t offset;
        int line, column;
    };
    std::vector<Part> parts;
    int file = 0;
    bool indented = false;

    Place at(std::size_t offset) const;
};

std::vector<Line> logical_lines(const std::string& contents, int file);

}  // namespace tbt::grammar
