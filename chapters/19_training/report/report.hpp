// Evaluates what a model can do, as rates that a program can compute.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "chapters/19_training/report/questions.hpp"
#include "chapters/19_training/report/recogniser.hpp"
#include "chapters/19_training/validation.hpp"
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

class Judge {
public:
    // All arguments must outlive this object.
    Judge(Model& model, const Corpus& corpus, const ReportOptions& options)
        : model_(model), corpus_(corpus), options_(options), recogniser_(corpus) {}

    // Computes all rows, in the order of the table. If the corpus does not have a genre or a kind
    // of sentence, its row says so.
    Report report();

private:
    struct Verdict {
        std::string prompt, text;
        bool right;
    };
    bool has_read(const std::string& genre) const;
    void add_rate(const std::string& what, const std::vector<Verdict>& verdicts, double goal,
                  const std::string& nothing);
    void add(const std::string& what, double value, int digits, double goal, bool small);

    void ask(const std::string& what, const std::vector<Question>& questions, double goal);
    void ask_translations();
    void translate(const std::string& what, const std::vector<Question>& questions, double goal);
    // Writes texts that begin with these prompts and counts those in the language of the genre.
    void write_whole(const std::string& what, const std::vector<std::string>& prompts, int genre,
                     double temperature, double top_p, double goal);
    void finish_lists();
    void write_records();
    void write_stories();
    void answer_from_the_text();
    void chat();
    void look_at_distributions();
    void look_for_loops();
    void measure_gaps();

    Model& model_;
    const Corpus& corpus_;
    const ReportOptions& options_;
    Recogniser recogniser_;
    Report report_;
};

}  // namespace tbt
