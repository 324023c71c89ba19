// What is known about a check: its inputs, its name, what to think about, and its source text.
// Kept when an exception passes or the process crashes, so that these can be explained too.
#pragma once

#include <cctype>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/exercises/show.hpp"

namespace tbt::exercise_check {

struct State {
    std::vector<std::string> notes;           // lines to show, and "think about: …"
    std::vector<std::string> checked = {""};  // the texts of the checks that run, innermost last
    std::vector<std::string> expected = {""};
    std::string test;     // its sentence, to think about where nothing else is said
    std::string failure;  // the finished message
};
inline State& state() {
    static State s;
    return s;
}

inline constexpr std::string_view think_about = "think about: ";

inline std::string line(std::string_view label, const std::string& words) {
    std::string name(label);
    while (count_characters(name) < 9) name += ' ';
    std::string text = words;
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 13)
        text.replace(at, 1, "\n" + std::string(12, ' '));
    return "  " + name + " " + text + "\n";
}

// Cuts at commas (or at the first of some operators) outside brackets and quotes.
inline std::vector<std::string> cut_outside(std::string_view text,
                                            const std::vector<std::string_view>& signs) {
    std::vector<std::string> parts(1);
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote) {
            if (c == '\\' && i + 1 < text.size()) parts.back() += text[i++];
            else if (c == quote) quote = 0;
        } else if (c == '"' || (c == '\'' &&
                                (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1])))))
            quote = c;
        else if (c == '(' || c == '[' || c == '{') ++depth;
        else if (c == ')' || c == ']' || c == '}') --depth;
        else if (depth == 0) {
            std::size_t cut = 0;
            for (const std::string_view sign : signs)
                if (cut == 0 && text.substr(i, sign.size()) == sign) cut = sign.size();
            if (cut > 0) {
                parts.emplace_back();
                i += cut - 1;
                continue;
            }
        }
        parts.back() += text[i];
    }
    return parts;
}

// A call as the exercise writes it: without std::, casts, and the types of lists.
inline std::string readable(std::string text) {
    const auto drop = [&](std::size_t at, std::size_t end) { text.erase(at, end - at); };
    for (const std::string_view name : {"std::vector<", "static_cast<"}) {
        for (std::size_t at; (at = text.find(name)) != std::string::npos;) {
            std::size_t end = at + name.size();
            for (int depth = 1; depth > 0 && end < text.size(); ++end)
                depth += text[end] == '<' ? 1 : text[end] == '>' ? -1 : 0;
            drop(at, end);
        }
    }
    for (const std::string_view word : {"std::", "tbt::"})
        for (std::size_t at; (at = text.find(word)) != std::string::npos;)
            drop(at, at + word.size());
    const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

template <class... Ts>
std::vector<std::string> all_shown(const Ts&... values) {
    return {shown(values)...};
}

// The notes of inputs: their names, cut at commas, and their values.
inline std::vector<std::string> notes_of(std::string_view names,
                                         const std::vector<std::string>& values) {
    const std::vector<std::string> parts = cut_outside(names, {","});
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < values.size(); ++i)
        notes.push_back(line(readable(parts.at(i)), values[i]));
    return notes;
}

// The notes of words: what comes after "think about: " in them is one of its own.
inline std::vector<std::string> notes_of(const std::string& text) {
    const std::size_t think = text.find(think_about);
    std::string words = text.substr(0, think);
    while (!words.empty() &&
           std::string_view(" ;:.,\n").find(words.back()) != std::string_view::npos)
        words.pop_back();
    std::vector<std::string> notes;
    if (!words.empty()) notes.push_back(line("where", words));
    if (think != std::string::npos) notes.push_back(text.substr(think));
    return notes;
}

// Notes that stay as long as the block they are written in, or for good when an exception leaves
// it.
class Noted {
public:
    explicit Noted(const std::vector<std::string>& notes)
        : size_(state().notes.size()), flying_(std::uncaught_exceptions()) {
        state().notes.insert(state().notes.end(), notes.begin(), notes.end());
    }
    ~Noted() {
        if (std::uncaught_exceptions() == flying_ && state().notes.size() > size_)
            state().notes.resize(size_);
    }
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;

private:
    std::size_t size_;
    int flying_;
};

// The text of the check that runs now.
class Asked {
public:
    explicit Asked(const char* text, const char* expected = nullptr)
        : flying_(std::uncaught_exceptions()) {
        const auto sides = cut_outside(text, {" == ", " != ", " <= ", " >= ", " < ", " > "});
        state().checked.push_back(readable(sides[0]));
        state().expected.push_back(readable(expected           ? expected
                                            : sides.size() > 1 ? sides[1]
                                                               : ""));
    }
    ~Asked() {
        if (std::uncaught_exceptions() != flying_) return;
        state().checked.pop_back();
        state().expected.pop_back();
    }
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;

private:
    int flying_;
};

// The whole message. `differs` may be empty.
inline std::string message(const std::string& expected, const std::string& got,
                           const std::string& differs) {
    const State& s = state();
    const std::string& checked = s.checked.back();
    std::string text, think;
    if (!checked.empty() && checked != "got") text += line("checked", checked);
    for (const std::string& note : s.notes) {
        if (note.starts_with(think_about)) think = note;
        else text += note;
    }
    if (!expected.empty()) text += line("expected", expected);
    text += line("got", got);
    if (!differs.empty()) text += line("differs", differs);
    if (think.empty() && !s.test.empty()) think = std::string(think_about) + s.test;
    if (!think.empty()) text += "  " + think + "\n";
    return text;
}

}  // namespace tbt::exercise_check
