#include "chapters/24_which_decoder/tools/whole_run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

#include "chapters/24_which_decoder/measure.hpp"
#include "chapters/24_which_decoder/tools/results.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

namespace {

// The genres that the model which fills masks has learned.
bool has_learned(const std::string& genre) {
    return genre == "weather" || genre == "everyday" || genre == "hello";
}

std::vector<Setting> settings_for(const WholeRun& run, const std::string& model) {
    std::vector<Setting> all = model == filling_model ? fill_settings() : settings();
    std::erase_if(all, [&](const Setting& s) {
        return s.amateur == model || (!run.decoder.empty() && s.decoder != run.decoder);
    });
    return all;
}

void check_names(const WholeRun& run, const Corpus& corpus) {
    for (const std::string& genre : run.genres) corpus.genre_named(genre);
    if (run.models == std::vector{filling_model} && std::ranges::none_of(run.genres, has_learned))
        throw UsageError("--genres: " + filling_model +
                         " has learned weather, everyday and hello only");
    const std::vector<Setting> fillings = fill_settings();
    if (!run.decoder.empty() &&
        std::ranges::find(fillings, run.decoder, &Setting::decoder) == fillings.end())
        settings(run.decoder);  // refuses others
}

std::string name_of(const Measured& m) { return m.decoder + " " + m.value; }

// What one thread does at a time.
struct Part {
    std::string model, genre;
    std::vector<Setting> open = {};
    bool truth = false;  // is the line of the true texts missing?
};

std::vector<Part> missing_parts(const WholeRun& run, const std::vector<Measured>& rows) {
    std::set<std::string> done;
    for (const Measured& m : rows) done.insert(m.model + "|" + m.genre + "|" + name_of(m));
    std::vector<Part> parts;
    for (const std::string& model : run.models)
        for (const std::string& genre : run.genres) {
            if (model == filling_model && !has_learned(genre)) continue;
            const auto is_done = [&](const std::string& name) {
                return done.contains(model + "|" + genre + "|" + name);
            };
            Part part{model, genre, settings_for(run, model)};
            std::erase_if(part.open, [&](const Setting& s) { return is_done(s.name()); });
            part.truth = run.decoder.empty() && !is_done("the truth ");
            if (part.truth || !part.open.empty()) parts.push_back(std::move(part));
        }
    return parts;
}

// Deals out the settings of each part like cards, since neighbours take about the same time, until
// there are more parts than threads and all have work to the end.
std::vector<Part> dealt(const std::vector<Part>& parts, std::size_t threads) {
    if (threads == 1) return parts;
    std::vector<Part> hands;
    for (const Part& part : parts) {
        const std::size_t first = hands.size(), n = 2 * threads / parts.size() + 1;
        hands.resize(first + n, {part.model, part.genre});
        hands[first].truth = part.truth;
        for (std::size_t k = 0; k < part.open.size(); ++k)
            hands[first + k % n].open.push_back(part.open[k]);
    }
    std::erase_if(hands, [](const Part& hand) { return !hand.truth && hand.open.empty(); });
    return hands;
}

void check_texts(const WholeRun& run, const std::vector<Measured>& rows) {
    for (const Measured& m : rows)
        if (m.model != filling_model && !std::isnan(m.divergence.mean) && m.texts != run.texts)
            throw Error(run.file + ": holds measurements of " + std::to_string(m.texts) +
                        " texts each, and " + std::to_string(run.texts) +
                        " are asked for; give another --file, or --texts " +
                        std::to_string(m.texts));
}

class Writer {
public:
    explicit Writer(const std::string& file) : file_(file) {}

    void add(const Part& part, Measured m) {
        m.model = part.model, m.genre = part.genre;
        const std::lock_guard lock(mutex_);
        std::ofstream out(file_, std::ios::app);
        if (!(out << line_of(m) << std::flush)) throw Error("cannot write " + file_);
        std::string figures = "undecided";
        if (m.texts > 0) figures = format("%.1f %% valid", 100 * m.valid.mean);
        if (std::isfinite(m.divergence.mean))
            figures += format(", divergence %.2f", m.divergence.mean);
        std::fprintf(stderr, "%s, %s, %s: %s\n", m.model.c_str(), m.genre.c_str(),
                     name_of(m).c_str(), figures.c_str());
    }

private:
    std::string file_;
    std::mutex mutex_;
};

void measure_part(const WholeRun& run, const Language& language, const Part& part, Writer& writer) {
    const std::filesystem::path directory =
        shipped_model(part.model == filling_model ? "storyteller" : part.model);
    TransformerOptions one;
    one.threads = 1;
    Model model = load_model(directory, one);
    OtherModels others(model, directory);
    std::vector<Passage> passages =
        language.passages(model.tokenizer, part.genre, run.texts, run.seed);
    if (part.model == filling_model)
        std::erase_if(passages, [&](const Passage& p) { return !others.fits(p); });
    if (passages.empty())
        throw Error("none of the " + std::to_string(run.texts) + " texts of genre '" + part.genre +
                    "' fits the canvas of " + filling_model + "; give more --texts");
    DecoderMeasure measure(language, model, others, std::move(passages), part.open, 400,
                           run.searched);
    if (part.truth) writer.add(part, measure.truth());
    for (std::size_t k = 0; k < part.open.size(); ++k) writer.add(part, measure.run(k, run.seed));
}

std::string lines_of(const std::vector<Measured>& rows) {
    std::string lines;
    for (const Measured& m : rows) lines += line_of(m);
    return lines;
}

// In the order of models, genres and settings, whichever was measured first. Lines of others, last.
void sort_rows(const WholeRun& run, std::vector<Measured>& rows) {
    std::vector<std::string> names{"the truth "};
    for (const Setting& s : settings()) names.push_back(s.name());
    for (const Setting& s : fill_settings()) names.push_back(s.name());
    const auto place = [](const std::vector<std::string>& of, const std::string& name) {
        return std::ranges::find(of, name) - of.begin();
    };
    std::ranges::stable_sort(rows, {}, [&](const Measured& m) {
        return std::tuple(place(run.models, m.model), place(run.genres, m.genre),
                          place(names, name_of(m)));
    });
}

}  // namespace

void measure_what_is_missing(const WholeRun& run) {
    const Corpus corpus = Corpus::load(run.corpus);
    check_names(run, corpus);
    const std::vector<Measured> rows = read_results(run.file);
    check_texts(run, rows);
    const std::vector<Part> parts = dealt(missing_parts(run, rows), index(default_threads()));
    if (parts.empty()) return;
    const Language language(corpus);
    // A line that was being written when the last run was stopped goes.
    write_file(run.file, lines_of(rows));
    Writer writer(run.file);
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failed;
    std::mutex mutex;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < parts.size(); i = next++)
                measure_part(run, language, parts[i], writer);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failed) failed = std::current_exception();
            next = parts.size();
        }
    };
    {
        std::vector<std::jthread> threads;
        const std::size_t workers = std::min(index(default_threads()), parts.size());
        for (std::size_t t = 0; t < workers; ++t) threads.emplace_back(work);
    }
    if (failed) std::rethrow_exception(failed);
    std::vector<Measured> all = read_results(run.file);
    sort_rows(run, all);
    write_file(run.file, lines_of(all));
}

std::vector<SpedUp> compare_sped_up(TextGenerator& generator, const std::vector<Passage>& passages,
                                    std::uint64_t seed, int most_tokens) {
    using Change = std::function<void(TextOptions&)>;
    const std::vector<std::pair<std::string, Change>> ways = {
        {"plain", [](TextOptions&) {}},
        {"drafts by the sketch", [](TextOptions& o) { o.assistant_model = "sketch"; }},
        {"lookups in the text", [](TextOptions& o) { o.prompt_lookup_num_tokens = 6; }},
        {"heads", [](TextOptions& o) { o.medusa = true; }},
    };
    std::vector<SpedUp> results;
    std::vector<std::vector<int>> plain;
    for (const auto& [name, change] : ways) {
        SpedUp result{name};
        for (std::size_t i = 0; i < passages.size(); ++i) {
            TextOptions options;
            options.temperature = 1;
            options.max_new_tokens = most_tokens;
            options.seed = seed + i;
            change(options);
            const std::vector<int> ids =
                generator.generate_ids(std::span(&passages[i].prompt, 1), options).at(0).ids;
            if (results.empty()) plain.push_back(ids);
            ++result.texts;
            result.same += ids == plain[i];
            result.tokens += static_cast<long>(ids.size());
            result.passes += generator.effort().passes;
        }
        results.push_back(result);
    }
    return results;
}

std::string table_of(const std::vector<SpedUp>& ways) {
    std::string text = "temperature 1            texts   the same   tokens a pass\n";
    for (const SpedUp& w : ways) {
        text += format("%-22s %7ld %10ld ", w.way.c_str(), w.texts, w.same);
        text +=
            w.passes == 0
                ? format("%15s\n", "-")  // no text was written
                : format("%15.2f\n", static_cast<double>(w.tokens) / static_cast<double>(w.passes));
    }
    return text;
}

}  // namespace tbt
