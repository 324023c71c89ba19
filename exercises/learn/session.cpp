#include "exercises/learn/session.hpp"

#include <algorithm>
#include <string_view>

#include "lib/core/index.hpp"
#include "lib/show/terminal.hpp"

namespace tbt::learn {

namespace fs = std::filesystem;

namespace {

// When and how long; a file that is missing for a moment, while an editor saves, is no news.
std::pair<fs::file_time_type, std::uintmax_t> stamp(const std::string& file) {
    std::error_code e;
    const auto time = fs::last_write_time(file, e);
    if (e) return {};
    const auto size = fs::file_size(file, e);
    return {time, e ? 0 : size};
}

// The lines of a building make, "  CXX   lib/…".
bool builds(const std::string& line) {
    for (const std::string_view word : {"  CXX ", "  PCH ", "  AR ", "  LINK "})
        if (line.starts_with(word)) return true;
    return false;
}

// ", all 6 tests" of "01_1 passed, all 6 tests: perplexity".
std::string tests_of(const std::string& line) {
    const std::size_t comma = line.find(','), colon = line.find(':');
    return comma < colon ? line.substr(comma, colon - comma) : "";
}

// What is done, and dots for what is not.
std::string progress_bar(std::size_t done, std::size_t all) {
    const std::size_t width = std::min<std::size_t>(all, 50);
    std::string text;
    for (std::size_t i = 0; i < width; ++i) text += i * all < done * width ? "█" : "░";
    return text;
}

}  // namespace

Session::Session(const std::string& wanted) : all_(list_exercises()) {
    std::size_t open = 0;
    while (!wanted.empty() && open < all_.size() && all_[open].name != wanted) ++open;
    if (open == all_.size()) open = 0;
    while (wanted.empty() && open < all_.size() && all_[open].passed) ++open;
    go(open < all_.size() ? open : 0);
}

void Session::go(std::size_t to) {
    job_.stop();
    at_ = to;
    view_ = View::exercise;
    result_.clear(), asked_.clear();
    statement_ = ask("statement", current().name);
    saved_ = stamp(file_of(current()));
    if (!current().passed && !not_written(current())) check();
}

void Session::check() {
    asked_.clear();
    view_ = View::exercise;
    job_.start(current().number());
}

bool Session::look() {
    const auto now = stamp(file_of(current()));
    const bool saved = now != saved_ && now.second > 0;
    if (saved) {
        saved_ = now;
        notice_ = {};
        statement_ = ask("statement", current().name);
        check();
    }
    if (!job_.ended()) return saved;
    checked();
    return true;
}

// Moves on when the exercise has passed; to the next open one, from there or from the beginning.
void Session::checked() {
    result_.clear();
    for (const std::string& line : lines_of(job_.output()))
        if (!builds(line)) result_.push_back(line);
    const bool was_passed = current().passed;
    all_ = list_exercises();
    at_ = std::min(at_, all_.size() - 1);
    good_ = current().passed;
    if (!good_ || was_passed) return;
    const std::string praise =
        current().number() + " passed" + (result_.empty() ? "" : tests_of(result_[0]));
    std::size_t to = at_ + 1;
    while (to < all_.size() && all_[to].passed) ++to;
    if (to == all_.size())
        for (to = 0; to < all_.size() && all_[to].passed;) ++to;
    if (to == all_.size()) {
        notice_ = {praise + ". All " + std::to_string(all_.size()) + " exercises pass.",
                   Look::good};
        return;
    }
    go(to);
    notice_ = {praise + ".  p, then s: another way to do it", Look::good};
}

void Session::press(int key) {
    if (view_ == View::asking) {
        view_ = View::exercise;
        notice_ = {};
        if (key == 'y') {
            job_.stop();
            show("reset");
            all_ = list_exercises();
            statement_ = ask("statement", current().name);
            saved_ = stamp(file_of(current()));
            result_.clear();
        }
        return;
    }
    if (key == 'l') {
        view_ = view_ == View::list ? View::exercise : View::list;
        return;
    }
    if (std::string_view("nphrsocq").find(static_cast<char>(key)) == std::string_view::npos ||
        key > 127)
        return;
    view_ = View::exercise;
    notice_ = {};
    switch (key) {
        case 'n':
            if (at_ + 1 < all_.size()) go(at_ + 1);
            else notice("This is the last exercise.");
            break;
        case 'p':
            if (at_ > 0) go(at_ - 1);
            else notice("This is the first exercise.");
            break;
        case 'h':
            hint();
            break;
        case 's':
            if (current().passed) show("solution");
            else
                notice("The solution is shown when " + current().number() +
                       " has passed; h gives a hint.");
            break;
        case 'r':
            view_ = View::asking;
            break;
        case 'o':
            if (current().lesson.empty()) notice("There is no lesson for this exercise.");
            else lesson_wanted_ = current().lesson;
            break;
        case 'c':
            check();
            break;
        case 'q':
            over_ = true;
            break;
    }
}

void Session::show(const std::string& command) {
    asked_ = ask(command, current().number());
    result_.clear();
}

// All hints read so far and the next one.
void Session::hint() {
    const int level = std::min(current().hints + 1, 3);
    asked_.clear();
    for (int i = 1; i <= level; ++i) {
        for (const std::string& line : ask("hint", current().number() + " " + std::to_string(i)))
            if (!line.starts_with("(one more:")) asked_.push_back(line);
        if (i < level) asked_.push_back("");
    }
    all_ = list_exercises();
}

Line Session::status(int tick) const {
    static const char* const turning[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
    if (job_.running()) {
        const std::vector<std::string> lines = lines_of(job_.output());
        const std::string part =
            !lines.empty() && builds(lines.back()) ? ", building" + lines.back().substr(7) : "";
        return {std::string(turning[tick % 10]) + " checking, " +
                    std::to_string(static_cast<int>(job_.seconds())) + " s" + part,
                Look::notice};
    }
    if (view_ == View::asking)
        return {"Reset " + current().number() +
                    "? A copy of your work is kept. y yes, any other key no",
                Look::notice};
    if (!notice_.text.empty()) return notice_;
    if (!result_.empty())
        return {good_ ? "passed" : "not there yet", good_ ? Look::good : Look::bad};
    if (current().passed) return {"passed", Look::good};
    return {"Write in the file and save: the check runs by itself.", Look::dim};
}

std::vector<Line> Session::list() const {
    std::vector<Line> lines;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const Exercise& e = all_[i];
        const std::string hints =
            e.hints > 0 ? "  (hints read: " + std::to_string(e.hints) + ")" : "";
        lines.push_back({(i == at_ ? "> " : "  ") + std::string(e.passed ? "ok  " : "    ") +
                             padded(e.number(), 6) + e.title + hints,
                         i == at_   ? Look::bold
                         : e.passed ? Look::good
                                    : Look::plain});
    }
    return lines;
}

Page Session::page(int tick) const {
    const auto done =
        std::count_if(all_.begin(), all_.end(), [](const Exercise& e) { return e.passed; });
    const std::string& lesson = current().lesson;
    Page page;
    page.head = {{current().number() + "  " + current().title, Look::bold},
                 {progress_bar(index(done), all_.size()) + "  " + std::to_string(done) + " of " +
                      std::to_string(all_.size()) + " exercises",
                  Look::good},
                 {"your file  " + file_of(current())},
                 {"lesson     " + (lesson.empty() ? "none" : lesson + ", " + section_of(lesson))},
                 status(tick)};
    page.keys = "n next  p previous  h hint  l list  r reset  s solution  o lesson  q quit";
    if (view_ == View::list) {
        page.body = list();
        page.first = at_;
        return page;
    }
    for (std::size_t i = 0; i < result_.size(); ++i)
        page.body.push_back({result_[i], i > 0 ? Look::plain : good_ ? Look::good : Look::bad});
    if (!asked_.empty() && !page.body.empty()) page.body.push_back({});
    for (const std::string& line : asked_) page.body.push_back({line});
    const Look look = page.body.empty() ? Look::plain : Look::dim;
    if (!page.body.empty()) page.body.push_back({});
    for (const std::string& line : statement_) page.body.push_back({line, look});
    return page;
}

}  // namespace tbt::learn
