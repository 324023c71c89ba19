// Measurements as lines of JSON, and as a table.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "chapters/24_which_decoder/measure.hpp"

namespace tbt {

// As printf, into a string of at most 255 bytes: a row of a table.
template <class... Values>
std::string format(const char* pattern, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

// One object a line. read_results throws Error for a line that is not one, naming file and line;
// a file that is not there holds none. A last line without its end is left out.
std::string line_of(const Measured& measured);
std::vector<Measured> read_results(const std::string& file);

// The columns of the lesson; one row for each measurement. with_price: what a token costs, too.
std::string table_of(const std::vector<Measured>& rows, bool with_price = false);

}  // namespace tbt
