// The lines of a grammar file as the parser sees them: joined, without comments, with their places.
#pragma once

#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt::grammar {

inline bool is_space(char c) { return c == ' ' || c == '\t'; }

// A logical line: physical lines joined at a final backslash, comments gone, and for each
// joined part where it began, so that an error can name line and column.
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
