// What make learn knows and shows: the exercise, the last result, what was asked for. Takes keys
// and the passing of time,
// gives a page; how that gets to a terminal is screen.hpp's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "exercises/learn/course.hpp"
#include "exercises/learn/job.hpp"

namespace tbt::learn {

enum class Look { plain, bold, dim, good, bad, notice };

struct Line {
    std::string text;
    Look look = Look::plain;
};

struct Page {
    std::vector<Line> head;  // always on the screen
    std::vector<Line> body;  // may be scrolled
    std::string keys;        // the last line
    std::size_t first = 0;   // a line of the body that should be seen
};

enum class Key { up = 1000, down, page_up, page_down };

class Session {
public:
    // Begins with this exercise (its number or name), else with the first open one.
    explicit Session(const std::string& wanted);

    // A letter, or a Key. What is not a key does nothing.
    void press(int key);
    // Looks whether the file was saved and the check has ended. True when the page has changed.
    bool look();

    bool over() const { return over_; }
    // The lesson's file, once after o was pressed; the caller shows it.
    std::string lesson_wanted() { return std::exchange(lesson_wanted_, ""); }
    void notice(const std::string& text) { notice_ = {text, Look::notice}; }

    // `tick` turns the sign that says that a check runs.
    Page page(int tick) const;
    int check_handle() const { return job_.handle(); }

private:
    const Exercise& current() const { return all_[at_]; }
    void go(std::size_t to);
    void check();
    void checked();
    void hint();
    void show(const std::string& command);
    void first_open();
    Line status(int tick) const;
    std::vector<Line> list() const;

    enum class View { exercise, list, asking };

    std::vector<Exercise> all_;
    std::size_t at_ = 0;
    std::pair<std::filesystem::file_time_type, std::uintmax_t> saved_ = {};
    Job job_;
    View view_ = View::exercise;
    std::vector<std::string> statement_, result_, asked_;
    bool good_ = false;  // the result is a pass
    Line notice_;
    std::string lesson_wanted_;
    bool over_ = false;
};

}  // namespace tbt::learn
