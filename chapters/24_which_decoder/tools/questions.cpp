#include "chapters/24_which_decoder/tools/questions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>

#include "lib/core/index.hpp"
#include "lib/corpus/tree.hpp"

namespace tbt {
namespace {

constexpr std::uint64_t question_seed = 0x7175657374696f6e;

std::string spaced(const std::string& text) { return std::string(1, ' ').append(text); }
std::string quoted(const std::string& text) { return std::string(" \"").append(text).append("\""); }

// The questions whose right sentence is the beginning of some document.
std::vector<Question> taught(const Recogniser& recogniser, const std::vector<Question>& all) {
    std::vector<Question> kept;
    for (const Question& q : all)
        if (recogniser.beginning(q.prompt + q.answer) == Recogniser::Answer::yes) kept.push_back(q);
    return kept;
}

struct Month {
    const char* name;
    int days;
};
constexpr std::array<Month, 12> months = {{{"January", 31},
                                           {"February", 28},
                                           {"March", 31},
                                           {"April", 30},
                                           {"May", 31},
                                           {"June", 30},
                                           {"July", 31},
                                           {"August", 31},
                                           {"September", 30},
                                           {"October", 31},
                                           {"November", 30},
                                           {"December", 31}}};
constexpr std::array<const char*, 7> days = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                             "Friday", "Saturday", "Sunday"};

}  // namespace

std::vector<Question> sums(const Recogniser& recogniser) {
    std::vector<Question> all;
    for (int x = 1; x <= 9; ++x) {
        for (int y = 1; y <= 9; ++y) {
            const std::string a = std::to_string(x), b = std::to_string(y);
            all.push_back({a + " plus " + b + " is", spaced(std::to_string(x + y))});
            all.push_back({a + " times " + b + " is", spaced(std::to_string(x * y))});
            if (x > y) all.push_back({a + " minus " + b + " is", spaced(std::to_string(x - y))});
        }
    }
    return taught(recogniser, all);
}

std::vector<Question> calendar(const Recogniser& recogniser) {
    std::vector<Question> all;
    const auto cycle = [&](const std::string& unit, const std::string& before,
                           const std::string& name, const std::string& after) {
        all.push_back({"The " + unit + " after " + name + " is", spaced(after)});
        all.push_back({"The " + unit + " before " + name + " is", spaced(before)});
        all.push_back({"After " + name + " comes", spaced(after)});
        all.push_back({"Before " + name + " comes", spaced(before)});
    };
    for (std::size_t d = 0; d < days.size(); ++d) {
        const std::string before = days[(d + 6) % 7], after = days[(d + 1) % 7];
        cycle("day", before, days[d], after);
        all.push_back({std::string("If today is ") + days[d] + ", tomorrow is", spaced(after)});
        all.push_back({std::string("If today is ") + days[d] + ", yesterday was", spaced(before)});
    }
    for (std::size_t m = 0; m < months.size(); ++m) {
        cycle("month", months[(m + 11) % 12].name, months[m].name, months[(m + 1) % 12].name);
        all.push_back(
            {std::string(months[m].name) + " has", spaced(std::to_string(months[m].days))});
        all.push_back({std::string("The month of ") + months[m].name + " is",
                       spaced(std::to_string(months[m].days))});
    }
    return taught(recogniser, all);
}

std::vector<Question> people(const Corpus& corpus, const Recogniser& recogniser) {
    const grammar::Tree& tree = corpus.tree();
    const auto table = std::ranges::find(tree.tables, "person", &grammar::Table::name);
    if (table == tree.tables.end()) return {};
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::ranges::find(table->columns, name) -
                                        table->columns.begin());
    };
    const std::size_t name = column("name"), job = column("job"), home = column("home");
    if (std::max({name, job, home}) >= table->columns.size()) return {};
    std::vector<Question> all;
    for (const auto& row : table->rows) {
        const auto text = [&](std::size_t c) { return tree.strings[index(row[c])]; };
        const std::string start = "{\"name\": \"" + text(name) + "\", ";
        all.push_back({start + "\"job\":", quoted(text(job))});
        all.push_back({start + "\"home\":", quoted(text(home))});
        all.push_back({start + "\"job\": \"" + text(job) + "\", \"home\":", quoted(text(home))});
    }
    return taught(recogniser, all);
}

std::vector<std::string> beginnings(const Corpus& corpus, int genre, bool held_out,
                                    std::size_t most,
                                    const std::function<std::size_t(const std::string&)>& cut) {
    std::vector<std::string> found;
    std::set<std::string> known;
    if (genre < 0) return found;
    for (std::uint64_t i = 0; i < 40 * most + 2000 && found.size() < most; ++i) {
        const Document document = corpus.document_of(genre, question_seed, i);
        if (held_out && !document.held_out) continue;
        const std::size_t end = cut(document.text);
        if (end == std::string::npos) continue;
        const std::string beginning = document.text.substr(0, end);
        if (known.insert(beginning).second) found.push_back(beginning);
    }
    return found;
}

std::vector<Question> translations(const Corpus& corpus, int genre, std::size_t most,
                                   bool held_out) {
    const std::string arrow = " →";
    std::vector<Question> all;
    const auto lines =
        beginnings(corpus, genre, held_out, most, [&](const std::string& text) -> std::size_t {
            const std::size_t end = std::min(text.find('\n'), text.size());
            return text.find(arrow) < end ? end : std::string::npos;
        });
    for (const std::string& line : lines) {
        const std::size_t cut = line.find(arrow) + arrow.size();
        all.push_back({line.substr(0, cut), line.substr(cut)});
    }
    return all;
}

std::vector<Question> with_every_word(const std::vector<Question>& questions) {
    std::set<std::string> known;
    std::vector<Question> kept;
    for (const Question& q : questions) {
        std::istringstream words(q.prompt);
        bool has_new = false;
        for (std::string word; words >> word;) has_new |= known.insert(word).second;
        if (has_new) kept.push_back(q);
    }
    return kept;
}

int find_genre(const Corpus& corpus, const std::string& name) {
    const auto found = std::ranges::find(corpus.genres, name);
    return found == corpus.genres.end() ? -1 : to_int(found - corpus.genres.begin());
}

bool answers(const std::string& text, const std::string& answer) {
    if (!text.starts_with(answer)) return false;
    if (text.size() == answer.size() || answer.ends_with('"')) return true;
    const auto next = static_cast<unsigned char>(text[answer.size()]);
    return !std::isalnum(next) && next < 0x80;
}

}  // namespace tbt
