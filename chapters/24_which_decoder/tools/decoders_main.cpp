// Measures every decoder on several genres and models: the data of chapter 24's table and picture.
//
//   make decoders                                    build/decoders.jsonl; stop and go on freely
//   build/decoders --texts 200 --genres weather --decoder top-p
//   build/decoders --show                            the table of what has been measured
//   build/decoders --show --table claims             what people claim, and the figures
//   build/decoders --sped-up                         do the faster ways to draw change a text?
//
// A line of the file for each model, genre and setting; what is there is not measured again.
#include <cstdio>
#include <string>

#include "chapters/24_which_decoder/measure.hpp"
#include "chapters/24_which_decoder/tools/results.hpp"
#include "chapters/24_which_decoder/tools/whole_run.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

namespace {

struct Work : WholeRun {
    std::string figure, table = "best", against = "lost";
    bool show = false, sped_up = false;
};

void show_sped_up(const Work& work) {
    const Corpus corpus = Corpus::load(work.corpus);
    const Language language(corpus);
    TextGenerator generator(shipped_model(work.models.at(0)).string());
    std::vector<Passage> passages;
    for (const std::string& genre : work.genres)
        for (Passage& passage :
             language.passages(generator.model().tokenizer, genre, work.texts, work.seed))
            passages.push_back(std::move(passage));
    std::fputs(tbt::table_of(compare_sped_up(generator, passages, work.seed)).c_str(), stdout);
}

// Every setting of one decoder, for each model and genre.
std::string table_of(const Work& work, const std::vector<Measured>& rows) {
    std::string text;
    for (const std::string& model : work.models)
        for (const std::string& genre : work.genres) {
            std::vector<Measured> part;
            for (const Measured& m : rows)
                if (m.model == model && m.genre == genre && m.decoder == work.decoder)
                    part.push_back(m);
            if (!part.empty())
                text += (text.empty() ? "" : "\n") + model + ", " + genre + "\n" +
                        tbt::table_of(part, true);
        }
    return text;
}

std::string shown_table(const Work& work, const std::vector<Measured>& rows) {
    if (!work.decoder.empty()) return table_of(work, rows);
    if (work.table == "searches") return searches_of(rows);
    return work.table == "claims" ? claims_of(rows) : best_of(rows);
}

}  // namespace

int main(int argc, char** argv) {
    Work work;
    return run_program(
        argc, argv, "Measures every decoder against the true distribution.",
        [&](CommandLine line) {
            line.option("--models", work.models, "shipped models").shows_default();
            line.option("--genres", work.genres, "genres of the corpus").shows_default();
            line.option("--decoder", work.decoder, "only the settings of one decoder, as a table");
            line.option("--texts", work.texts, "for each setting and genre")
                .shows_default()
                .above_zero();
            line.option("--searched", work.searched, "of these, texts that beams search for")
                .shows_default()
                .above_zero();
            line.option("--file", work.file, "the measurements").shows_default();
            line.option("--corpus", work.corpus, "folder of the grammar files").shows_default();
            line.option("--show", work.show, "measure nothing: print what the file holds");
            line.option("--sped-up", work.sped_up,
                        "measure nothing: count the texts that drafts, lookups and heads change");
            line.option("--table", work.table, "which: best, searches or claims")
                .one_of({"best", "searches", "claims"})
                .needs(line.declared("--show"));
            figure_option(line, work.figure, "the frontier of the first model");
            line.option("--against", work.against, "wrong texts in the figure: lost or diversity")
                .one_of({"lost", "diversity"})
                .needs(line.declared("--figure"));
            seed_option(line, work.seed);
        },
        [&] {
            if (work.sped_up) return show_sped_up(work);
            if (!work.show) measure_what_is_missing(work);
            const std::vector<Measured> rows = read_results(work.file);
            if (rows.empty())
                throw Error(work.file + ": holds no measurements; make decoders writes them");
            if (!work.figure.empty())
                write_frontier(work.figure, rows, work.models.at(0), work.against == "diversity");
            std::fputs(shown_table(work, rows).c_str(), stdout);
        });
}
