#include "chapters/24_which_decoder/tools/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <sstream>

#include "chapters/24_which_decoder/tools/questions.hpp"
#include "chapters/24_which_decoder/write_texts.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rows.hpp"
#include "lib/core/unicode.hpp"
#include "lib/corpus/text_probability.hpp"
#include "lib/json/json.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

Distributions distributions(Model& model, const std::vector<std::string>& texts) {
    Distributions sum;
    double positions = 0;
    std::vector<float> log_p(index(model.config().vocab_size));
    KvCache cache(model.config());
    for (const std::string& text : texts) {
        std::vector<int> ids = {model.tokenizer.eos_id()};
        const std::vector<int> tokens = model.tokenizer.encode(text);
        ids.insert(ids.end(), tokens.begin(), tokens.end());
        ids.resize(std::min(ids.size(), index(model.config().n_positions)));
        cache.clear();
        const Logits logits = model.transformer.forward_all(cache, ids);
        for (std::int64_t t = 0; t < logits.rows; ++t, ++positions) {
            log_softmax(logits.row(t), log_p);
            std::ranges::sort(log_p, std::greater<>());
            double mass = 0;
            bool inside = true;
            for (const float value : log_p) {
                const double p = std::exp(static_cast<double>(value));
                sum.entropy -= p * static_cast<double>(value) / std::numbers::ln2;
                if (inside) sum.nucleus += 1;
                if (inside && mass == 0 && p < 0.9) sum.wide_nuclei += 1;
                mass += p;
                inside = inside && mass < 0.9;
            }
        }
    }
    return {sum.entropy / positions, sum.wide_nuclei / positions, sum.nucleus / positions};
}

bool repeats_itself(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    const std::size_t n = words.size();
    // The last word may be incomplete, so it may be left out.
    for (std::size_t cut = 0; cut <= std::min<std::size_t>(1, n); ++cut) {
        for (std::size_t period = 4; 3 * period + cut <= n; ++period) {
            const auto end = words.end() - static_cast<std::ptrdiff_t>(cut);
            const auto p = static_cast<std::ptrdiff_t>(period);
            if (std::equal(end - 2 * p, end, end - 3 * p)) return true;
        }
    }
    return false;
}

namespace {

// Pads a text to a width in columns of the screen, not in bytes.
std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::size_t taken = index(columns(text));
    const std::string space(taken < width ? width - taken : 0, ' ');
    return right ? space + text : text + space;
}

std::vector<std::string> prompts_of(const std::vector<Question>& questions) {
    std::vector<std::string> prompts;
    for (const Question& q : questions) prompts.push_back(q.prompt);
    return prompts;
}

std::string formatted(const char* format, double a, double b = 0, double c = 0) {
    char text[96];
    std::snprintf(text, sizeof text, format, a, b, c);
    return text;
}

std::string goal_text(const ReportRow& row) {
    return std::isnan(row.goal) ? "" : formatted(row.small ? "≤ %.4g" : "≥ %.4g", row.goal);
}

Json number(double value) { return std::isnan(value) ? Json() : Json(value); }

}  // namespace

std::string report_text(const Report& report) {
    std::string table =
        padded("", 56, false) + padded("figure", 24, true) + padded("wanted", 10, true) + "\n";
    for (const ReportRow& row : report.rows) {
        const bool judged = !std::isnan(row.goal) && !std::isnan(row.value);
        table += padded(row.what, 56, false) + padded(row.figure, 24, true) +
                 padded(goal_text(row), 10, true) + (judged ? row.met() ? "  ✓" : "  ✗" : "") +
                 "\n";
    }
    return table + "\n" + validation_table(report.genres, report.total);
}

std::string report_json(const Report& report, const std::string& model, const std::string& corpus,
                        double seconds) {
    Json json = {{"model", model}, {"corpus", corpus}, {"seconds", std::round(seconds)}};
    json["rows"] = Json::array();
    for (const ReportRow& row : report.rows) {
        const bool judged = !std::isnan(row.goal) && !std::isnan(row.value);
        json["rows"].push_back({{"what", row.what},
                                {"figure", row.figure},
                                {"value", number(row.value)},
                                {"goal", number(row.goal)},
                                {"met", judged ? Json(row.met()) : Json()}});
    }
    json["genres"] = Json::object();
    for (const GenreResult& r : report.genres) {
        if (r.documents == 0) continue;
        json["genres"][r.genre] = {{"model", number(r.bits_per_byte())},
                                   {"floor", number(r.floor())},
                                   {"documents", r.documents}};
    }
    return json_text(json, 2) + "\n";
}

namespace {

constexpr double no_goal = std::numeric_limits<double>::quiet_NaN();
constexpr double largest_gap = 0.05;  // bits per byte

// The position at which the last record of a text begins: the first brace after which everything is
// JSON, with the space before it, which belongs to the record's first token.
std::size_t record_begin(const std::string& text) {
    for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1))
        if (!json_value(text.substr(at)).is_discarded())
            return at > 0 && text[at - 1] == ' ' ? at - 1 : at;
    return std::string::npos;
}

class Judge {
public:
    Judge(Model& model, const Corpus& corpus, const ReportOptions& options)
        : model_(model), corpus_(corpus), options_(options), recogniser_(corpus) {}

    Report report() {
        ask("sums, differences and products 1..9, greedy", sums(recogniser_), 0.98);
        ask("days, months, dates, greedy", calendar(recogniser_), 0.98);
        ask_translations();
        finish_lists();
        write_records();
        answer_from_the_text();
        write_stories();
        chat();
        look_at_distributions();
        look_for_loops();
        measure_gaps();
        return report_;
    }

private:
    struct Verdict {
        std::string prompt, text;
        bool right;
    };
    using IsRight = std::function<bool(std::size_t prompt, const WrittenText& text)>;

    bool has_read(const std::string& genre) const {
        return options_.genres.empty() ||
               ("," + options_.genres).find("," + genre + "=") != std::string::npos;
    }

    void add_rate(const std::string& what, const std::vector<Verdict>& verdicts, double goal,
                  const std::string& nothing) {
        if (verdicts.empty()) {
            report_.rows.push_back({what, nothing, no_goal, goal, false});
            return;
        }
        const auto right = std::ranges::count_if(verdicts, &Verdict::right);
        const double n = static_cast<double>(verdicts.size()),
                     rate = static_cast<double>(right) / n;
        report_.rows.push_back(
            {what, formatted("%.0f of %.0f  %5.1f %%", static_cast<double>(right), n, 100 * rate),
             rate, goal, false});
        int shown = 0;
        for (const Verdict& v : verdicts) {
            if (v.right || shown++ >= options_.failures) continue;
            options_.show(what + ": " + v.prompt + " ⇒" + v.text);
        }
    }

    // Continues the prompts and counts the texts that are right.
    void rate(const std::string& what, const std::vector<std::string>& prompts,
              const WriteOptions& options, double goal, const std::string& nothing,
              const IsRight& is_right) {
        const auto texts = write_texts(model_, prompts, options);
        std::vector<Verdict> verdicts;
        for (std::size_t i = 0; i < texts.size(); ++i)
            verdicts.push_back({prompts[i], texts[i].text, is_right(i, texts[i])});
        add_rate(what, verdicts, goal, nothing);
    }

    void ask(const std::string& what, const std::vector<Question>& questions, double goal) {
        WriteOptions options;
        options.max_new_tokens = 16;
        rate(what, prompts_of(questions), options, goal, "no such sentences",
             [&](std::size_t i, const WrittenText& text) {
                 return answers(text.text, questions[i].answer);
             });
    }

    void ask_translations() {
        const int genre = find_genre(corpus_, "translate");
        translate("translation, held out, greedy: exact", translations(corpus_, genre, 200, true),
                  0.97);
        translate("translation: lines that hold every word, greedy",
                  with_every_word(translations(corpus_, genre, 3000, false)), 0.97);
    }

    void translate(const std::string& what, const std::vector<Question>& questions, double goal) {
        WriteOptions options;
        options.stop = "\n";
        options.max_new_tokens = 60;
        rate(what, prompts_of(questions), options, goal, "no such genre",
             [&](std::size_t i, const WrittenText& text) {
                 return text.text == questions[i].answer;
             });
    }

    // Writes texts that begin with these prompts and counts those in the language of the genre.
    void write_whole(const std::string& what, const std::vector<std::string>& prompts, int genre,
                     double temperature, double top_p, double goal) {
        WriteOptions options;
        options.temperature = temperature;
        options.top_p = top_p;
        const auto texts = write_texts(model_, prompts, options);
        std::vector<Verdict> verdicts;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::string whole = prompts[i] + texts[i].text;
            verdicts.push_back(
                {prompts[i], texts[i].text + (texts[i].ended ? "" : " (goes on)"),
                 texts[i].ended && recogniser_.whole(whole, genre) == Recogniser::Answer::yes});
        }
        add_rate(what, verdicts, goal, "no such genre");
    }

    // Whole texts after "Explain gravity:" and "The three main components of a transformer are".
    void finish_lists() {
        const auto after = [](const char* start, const char* end) {
            return [=](const std::string& text) -> std::size_t {
                if (!text.starts_with(start)) return std::string::npos;
                const std::size_t at = text.find(end);
                return at == std::string::npos ? at : at + std::string(end).size();
            };
        };
        const int explain = find_genre(corpus_, "explain"), three = find_genre(corpus_, "three");
        const auto topics = beginnings(corpus_, explain, false, 80, after("Explain ", ":")),
                   lists = beginnings(corpus_, three, false, 80, after("The three main ", " are"));
        write_whole("explain: whole text in the language, greedy", topics, explain, 0, 1, 0.98);
        write_whole("explain: … at T .8, top-p .9", topics, explain, 0.8, 0.9, 0.95);
        write_whole("three: whole text in the language, greedy", lists, three, 0, 1, 0.98);
        write_whole("three: … at T .8, top-p .9", lists, three, 0.8, 0.9, 0.95);
    }

    void write_records() {
        const int genre = find_genre(corpus_, "json");
        const std::vector<std::string> prompts(genre < 0 ? 0 : 100, "{\"name\":");
        WriteOptions options;
        options.temperature = 1;
        const auto texts = write_texts(model_, prompts, options);
        std::vector<Verdict> valid, written;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::string whole = prompts[i] + texts[i].text;
            valid.push_back(
                {prompts[i], texts[i].text, texts[i].ended && !json_value(whole).is_discarded()});
            written.push_back(
                {prompts[i], texts[i].text,
                 texts[i].ended && recogniser_.whole(whole, genre) == Recogniser::Answer::yes});
        }
        add_rate("JSON record at T = 1: valid", valid, 0.95, "no such genre");
        add_rate("JSON record at T = 1: in the language", written, no_goal, "no such genre");
        ask("name, job and town of a person, greedy", people(corpus_, recogniser_), 0.98);
    }

    void write_stories() {
        const int genre = find_genre(corpus_, "story");
        std::vector<std::string> prompts(genre < 0 ? 0 : 60, "Once upon a time");
        if (genre >= 0) prompts.insert(prompts.end(), 30, "The old lighthouse keeper");
        write_whole("stories without a slip (in the language), T .8", prompts, -1, 0.8, 1, 0.98);
    }

    // Tools and schemas: the text has a request, and the record must answer with values from the
    // text.
    void answer_from_the_text() {
        const int genre = find_genre(corpus_, "json_asked");
        const auto prompts = beginnings(corpus_, genre, true, 120, record_begin);
        write_whole("records that answer a question, held out, greedy", prompts, genre, 0, 1, 0.95);
    }

    // The last answer of a conversation, given everything before it. It must be one that the
    // grammar can write.
    void chat() {
        const std::string turn = "\nAssistant:";
        for (std::size_t g = 0; g < corpus_.genres.size(); ++g) {
            if (!corpus_.genres[g].starts_with("dialogue") || !has_read(corpus_.genres[g]))
                continue;
            const int genre = to_int(g);
            const auto prompts =
                beginnings(corpus_, genre, true, 40, [&](const std::string& text) -> std::size_t {
                    const std::size_t at = text.rfind(turn);
                    return at == std::string::npos ? at : at + turn.size();
                });
            WriteOptions options;
            options.stop = "\n";
            options.max_new_tokens = 100;
            const bool memory = corpus_.genres[g] == "dialogue_memory";
            rate(corpus_.genres[g] + ": last answer fits, held out, greedy", prompts, options,
                 memory ? 0.9 : no_goal, "no conversations held out",
                 [&](std::size_t i, const WrittenText& text) {
                     return text.ended && recogniser_.beginning(prompts[i] + text.text + "\n",
                                                                genre) == Recogniser::Answer::yes;
                 });
        }
    }

    void look_at_distributions() {
        std::vector<std::string> texts;
        for (std::size_t g = 0; g < corpus_.genres.size(); ++g) {
            const std::string& name = corpus_.genres[g];
            const bool story = name == "story" || name.starts_with("tale_");
            if (!has_read(name) || (!story && !name.starts_with("dialogue"))) continue;
            const std::size_t most = name == "story" ? 20 : 8;
            const auto some = beginnings(corpus_, to_int(g), true, most,
                                         [](const std::string& text) { return text.size(); });
            texts.insert(texts.end(), some.begin(), some.end());
        }
        if (texts.empty()) return;
        const Distributions d = distributions(model_, texts);
        report_.rows.push_back({"mean entropy over story and chat tokens, bits",
                                formatted("%.2f", d.entropy), d.entropy, 1.5, false});
        report_.rows.push_back({"0.9-nucleus larger than one token",
                                formatted("%.1f %% of positions", 100 * d.wide_nuclei),
                                d.wide_nuclei, 0.45, false});
        report_.rows.push_back({"mean size of the 0.9-nucleus", formatted("%.2f", d.nucleus),
                                d.nucleus, no_goal, false});
    }

    void look_for_loops() {
        WriteOptions options;
        options.max_new_tokens = 160;
        const std::vector<std::string> one = {"The weather today is windy"}, many(20, one[0]);
        const WrittenText greedy = write_texts(model_, one, options)[0];
        options.temperature = 1;
        const auto drawn = write_texts(model_, many, options);
        const auto loops = std::ranges::count_if(
            drawn, [](const WrittenText& text) { return repeats_itself(text.text); });
        const bool loop = repeats_itself(greedy.text);
        report_.rows.push_back({"\"The weather today is windy\" greedy: loops", loop ? "yes" : "no",
                                loop ? 1.0 : 0.0, 1, false});
        report_.rows.push_back({"… drawn at T = 1: loops",
                                formatted("%.0f of %.0f", static_cast<double>(loops),
                                          static_cast<double>(drawn.size())),
                                static_cast<double>(loops) / static_cast<double>(drawn.size()),
                                0.05, true});
    }

    void measure_gaps() {
        const Evaluation evaluation =
            options_.genres.empty()
                ? evaluate_model(corpus_, model_, options_.documents)
                : evaluate_model(GenreMix(corpus_, options_.genres), model_, options_.documents);
        report_.genres = evaluation.genres;
        report_.total = evaluation.total;
        std::vector<Verdict> verdicts;
        for (const GenreResult& r : evaluation.genres) {
            if (r.documents == 0) continue;
            const double gap = r.bits_per_byte() - r.floor();
            verdicts.push_back(
                {r.genre, formatted(" %.3f bits/byte above its floor", gap), gap <= largest_gap});
        }
        add_rate("genres within .05 bits/byte of their floor, held out", verdicts, 1,
                 "none held out");
    }

    Model& model_;
    const Corpus& corpus_;
    const ReportOptions& options_;
    Recogniser recogniser_;
    Report report_;
};

}  // namespace

Report report_of(Model& model, const Corpus& corpus, const ReportOptions& options) {
    return Judge(model, corpus, options).report();
}

}  // namespace tbt
