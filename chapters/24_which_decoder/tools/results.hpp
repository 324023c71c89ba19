// Measurements as lines of JSON, as tables, and put together: means over the genres, the best
// settings, searches, what people claim, a picture.
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

// Of one setting: means over the genres, which count alike.
struct Summary {
    std::string decoder, value;
    Estimate divergence;  // not a number where q(x) is not known
    double valid = 0, lost = 0, distinct = 0, repeated = 0, tokens = 0;
    double searched_bits = 0;      // searches and fillings
    double texts = 0, genres = 0;  // sums

    std::string name() const { return value.empty() ? decoder : decoder + " " + value; }
};
std::vector<Summary> summaries(const std::vector<Measured>& rows, const std::string& model);

// For each model and decoder the setting of the smallest divergence, the best decoder first; a star
// where its interval reaches that of the best.
std::string best_of(const std::vector<Measured>& rows);

// For each model what is no distribution: beams by their number, the best text of all, canvases
// filled in so many passes; the truth beside them.
std::string searches_of(const std::vector<Measured>& rows);

// What people claim, each with the settings that decide it.
struct Claim {
    std::string says;
    // "top-p 0.98"; "top-p *": the best of this decoder; "storyteller-16M: temperature 0.8".
    std::vector<std::string> settings;
};
const std::vector<Claim>& claims();
// The setting that a claim names. Throws Error where it was not measured.
Summary setting_of(const std::vector<Measured>& rows, const std::string& name);
std::string claims_of(const std::vector<Measured>& rows);

// Wrong texts against true texts lost; or against distinct runs of four words, where the truth is a
// point of its own. Means over the genres: a line for each decoder of this model, a corner for each
// setting.
void write_frontier(const std::string& file, const std::vector<Measured>& rows,
                    const std::string& model, bool against_diversity = false);

}  // namespace tbt
