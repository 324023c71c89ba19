// Measures every decoder on several genres and models: the data of chapter 24's table and picture.
//
//   make decoders                                    build/decoders.jsonl; stop and go on freely
//   build/decoders --texts 200 --genre weather --decoder top-p
//   build/decoders --show                            the table of what has been measured
//   build/decoders --sped-up                         do the faster ways to draw change a text?
//
// A line of the file for each model, genre and setting; what is there is not measured again.
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "chapters/24_which_decoder/measure.hpp"
#include "chapters/24_which_decoder/results.hpp"
#include "chapters/24_which_decoder/sped_up.hpp"
#include "lib/error.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/text_options.hpp"

using namespace tbt;

namespace {

struct Work {
    std::vector<std::string> models{"storyteller", "sketch"};
    std::vector<std::string> genres{"weather", "everyday",    "dialogue_people", "explain",
                                    "three",   "weather_log", "dates",           "story"};
    std::string file = "build/decoders.jsonl", corpus = "data/corpus", decoder, figure;
    int texts = 400, searched = 40;
    std::uint64_t seed = 24;
    bool show = false, sped_up = false;
};

std::string key_of(const Measured& m) {
    return m.model + "|" + m.genre + "|" + m.decoder + " " + m.value;
}

void measure_model(const Work& work, const Language& language, const std::string& name,
                   const std::set<std::string>& done) {
    Model model = load_model(shipped_model(name));
    for (const std::string& genre : work.genres) {
        std::vector<Setting> open;
        for (Setting& setting : settings(work.decoder))
            if (!done.contains(name + "|" + genre + "|" + setting.name()))
                open.push_back(std::move(setting));
        if (open.empty()) continue;
        DecoderMeasure measure(language, model,
                               language.passages(model.tokenizer, genre, work.texts, work.seed),
                               open, 400, work.searched);
        for (std::size_t k = 0; k < open.size(); ++k) {
            Measured m = measure.run(k, work.seed);
            m.model = name, m.genre = genre;
            std::ofstream out(work.file, std::ios::app);
            if (!(out << line_of(m) << std::flush)) throw Error("cannot write " + work.file);
            std::fprintf(stderr, "%s, %s, %s: %.1f %% valid, divergence %.2f\n", name.c_str(),
                         genre.c_str(), open[k].name().c_str(), 100 * m.valid.mean,
                         m.divergence.mean);
        }
    }
}

void measure_what_is_missing(const Work& work, const std::vector<Measured>& rows) {
    std::set<std::string> done;
    for (const Measured& m : rows) done.insert(key_of(m));
    const Corpus corpus = Corpus::load(work.corpus);
    const Language language(corpus);
    for (const std::string& name : work.models) measure_model(work, language, name, done);
}

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
                text +=
                    (text.empty() ? "" : "\n") + model + ", " + genre + "\n" + tbt::table_of(part);
        }
    return text;
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
            figure_option(line, work.figure, "the frontier of the first model");
            seed_option(line, work.seed);
        },
        [&] {
            if (work.sped_up) return show_sped_up(work);
            std::vector<Measured> rows = read_results(work.file);
            if (work.show && rows.empty())
                throw Error(work.file + ": holds no measurements; make decoders writes them");
            if (!work.show) {
                measure_what_is_missing(work, rows);
                rows = read_results(work.file);
            }
            if (!work.figure.empty()) write_frontier(work.figure, rows, work.models.at(0));
            std::fputs((work.decoder.empty() ? best_of(rows) : table_of(work, rows)).c_str(),
                       stdout);
        });
}
