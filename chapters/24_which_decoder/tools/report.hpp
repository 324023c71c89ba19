// Evaluates what a model can do, as rates that a program can compute.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "lib/corpus/corpus.hpp"
#include "lib/corpus/validation.hpp"
#include "lib/files/model.hpp"

namespace tbt {

struct ReportRow {
    std::string what;
    std::string figure;                                       // as printed: "78 of 81 (96.3 %)"
    double value = std::numeric_limits<double>::quiet_NaN();  // NaN: could not be measured
    double goal = std::numeric_limits<double>::quiet_NaN();   // a minimum; a maximum if `small`
    bool small = false;

    bool met() const { return small ? value <= goal : value >= goal; }
};

struct ReportOptions {
    std::int64_t documents = 16;  // for each genre, to measure the gap to the floor
    std::string genres;           // those the model has read, with their shares; empty: all
    int failures = 0;             // the number of failures to show for each row
    std::function<void(const std::string&)> show = [](const std::string&) {};
};

// The results of all measurements.
struct Report {
    std::vector<ReportRow> rows;
    std::vector<GenreResult> genres;  // bits per byte on combinations held out
    GenreResult total;
};

// Computes all rows, in the order of the table. If the corpus does not have a genre or a kind of
// sentence, its row says so.
Report report_of(Model& model, const Corpus& corpus, const ReportOptions& options);

// The report as a table for people and as JSON for programs.
std::string report_text(const Report& report);

// {"model", "corpus", "seconds", "rows": [{"what", "figure", "value", "goal", "met"}], "genres"};
// A value that could not be measured, or a goal that is not set, is null.
std::string report_json(const Report& report, const std::string& model, const std::string& corpus,
                        double seconds);

// How much choice a model has: properties of its distribution of the next token on given texts.
struct Distributions {
    double entropy = 0;      // bits, the mean over all tokens of the texts
    double wide_nuclei = 0;  // fraction of positions whose 0.9-nucleus has more than one token
    double nucleus = 0;      // mean size of the 0.9-nucleus
};

// Measures at temperature 1. Each text is read from its beginning up to the model's context.
Distributions distributions(Model& model, const std::vector<std::string>& texts);

// Does the text end in a loop, that is, the same sequence of at least four words three times in a
// row?
bool repeats_itself(const std::string& text);

}  // namespace tbt
