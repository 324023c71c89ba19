// Evaluates a model: prints a table of rates beside the goals.
//
//   make report MODEL=data/models/storyteller
//   build/report build/models/storyteller --json report.json --failures 3
//   build/report build/models/storyteller --read data/prompts     texts for people to read
//   build/report data/models/sketch --read data/prompts/voice     the same for other people's
//                                                                 prompts, then rates of names,
//                                                                 sums, JSON
//
// What to look for: the last column, and with --failures the wrong answers.
#include <chrono>
#include <cstdio>

#include "chapters/24_which_decoder/tools/report.hpp"
#include "chapters/24_which_decoder/tools/texts_to_read.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/terminal.hpp"

// On the documents of a corpus; if none is given, on the model's own.
static void print_report(const std::string& directory, const std::string& folder,
                         tbt::ReportOptions options, const std::string& json) {
    const auto start = std::chrono::steady_clock::now();
    const tbt::TrainedOn own =
        folder.empty() ? tbt::trained_on(directory) : tbt::TrainedOn{folder, {}, {}};
    const tbt::Corpus corpus = tbt::Corpus::load(own.corpus);
    options.genres = own.genres;
    tbt::Model model = tbt::load_model(directory);
    const tbt::Report report = tbt::report_of(model, corpus, options);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::fputs(tbt::report_text(report).c_str(), stdout);
    if (!json.empty())
        tbt::write_file(json, tbt::report_json(report, directory, corpus.hash(), seconds));
    std::fprintf(stderr, "%.0f s\n", seconds);
}

int main(int argc, char** argv) {
    std::string directory, folder, json, prompts;
    tbt::ReportOptions options;
    return tbt::run_program(
        argc, argv, "Evaluates a model: a table of success rates, checked by programs.",
        [&](tbt::CommandLine line) {
            line.option("model", directory, "the model's directory").required();
            line.option("--corpus", folder,
                        "folder of the grammar files (else the model's own, with its genres)");
            line.option("--json", json, "write the table as JSON too");
            line.option("--documents", options.documents,
                        "held-out documents of each genre, for the gaps to the floor")
                .shows_default()
                .above_zero();
            line.option("--failures", options.failures, "failures of each row to show")
                .shows_default();
            line.option("--read", prompts,
                        "instead of the table: texts to read, from the prompts in this folder "
                        "(data/prompts)");
        },
        [&] {
            options.show = [](const std::string& failure) {
                std::fprintf(stderr, "%s\n", tbt::visible(failure).c_str());
            };
            if (prompts.empty()) return print_report(directory, folder, options, json);
            tbt::Model model = tbt::load_model(directory);
            std::puts(tbt::texts_to_read(model, prompts).c_str());
            std::fputs(tbt::prompt_rates(model, prompts).c_str(), stdout);
        });
}
