// Measurements as lines of JSON, as a table, and as the picture of the frontier.
#pragma once

#include <string>
#include <vector>

#include "chapters/24_which_decoder/measure.hpp"

namespace tbt {

// One object a line. read_results throws Error for a line that is not one, naming file and line;
// a file that is not there holds none.
std::string line_of(const Measured& measured);
std::vector<Measured> read_results(const std::string& file);

// The columns of the lesson; one row for each measurement.
std::string table_of(const std::vector<Measured>& rows);
// For each model and decoder the setting of the smallest divergence, genres weighted alike, the
// best decoder first; a star where its interval reaches that of the best.
std::string best_of(const std::vector<Measured>& rows);

// Invalid texts against lost true texts, means over the genres: a line for each decoder of this
// model, a dot for each setting.
void write_frontier(const std::string& file, const std::vector<Measured>& rows,
                    const std::string& model);

}  // namespace tbt
