// The basis of the parser: a position in a line, and the small parts of the notation, which are
// names, numbers, weights and escapes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus_lines.hpp"
#include "chapters/19_training/corpus/corpus_tree.hpp"
#include "lib/core/error.hpp"

namespace tbt::grammar {

constexpr std::uint64_t weight_unit = 1'000'000;  // weights are read as millionths, exactly

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }

inline std::string in_quotes(const std::string& s) { return "'" + s + "'"; }

class Cursor {
protected:
    [[noreturn]] void fail(Place place, const std::string& message) const {
        throw Error(tree_.where(place) + message);
    }
    [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
        fail(line_->at(offset), message);
    }

    void start(const Line& line) {
        line_ = &line;
        pos_ = 0;
        end_ = line.text.size();
    }

    bool accept(char c) {
        if (pos_ >= end_ || line_->text[pos_] != c) return false;
        ++pos_;
        return true;
    }
    void skip_spaces() {
        while (pos_ < end_ && is_space(line_->text[pos_])) ++pos_;
    }
    std::string word() {
        const std::size_t from = pos_;
        if (pos_ < end_ && is_name_start(line_->text[pos_]))
            while (pos_ < end_ && is_name_char(line_->text[pos_])) ++pos_;
        return line_->text.substr(from, pos_ - from);
    }
    std::string need_name(const std::string& what) {
        std::string name = word();
        if (name.empty()) fail(pos_, "expected " + what + " (letters, digits and _)");
        return name;
    }

    char escape() {
        const std::size_t at = pos_++;
        const char c = pos_ < end_ ? line_->text[pos_++] : '\0';
        if (c == 'n') return '\n';
        if (c == 's') return ' ';
        if (std::string("\\{}|[]#\"").find(c) != std::string::npos && c != '\0') return c;
        fail(at, "unknown escape (known: \\n \\s \\\\ \\{ \\} \\| \\[ \\] \\# \\\")");
    }

    // Reads a weight, [3] or [0.5]; for lines, also the spaces after it. Anything else in brackets
    // is ordinary text, and the weight is 1.
    std::uint64_t optional_weight(bool of_a_line) {
        if (pos_ >= end_ || line_->text[pos_] != '[') return weight_unit;
        std::size_t i = pos_ + 1;
        while (i < end_ && (is_digit(line_->text[i]) || line_->text[i] == '.')) ++i;
        if (i == pos_ + 1 || i >= end_ || line_->text[i] != ']') return weight_unit;
        ++pos_;
        const std::uint64_t weight = number_weight();
        ++pos_;
        if (of_a_line) skip_spaces();
        return weight;
    }

    std::uint64_t number_weight() {
        const std::size_t at = pos_;
        std::uint64_t whole = 0, fraction = 0, unit = weight_unit;
        while (pos_ < end_ && is_digit(line_->text[pos_]) && whole < 1'000'000)
            whole = whole * 10 + static_cast<std::uint64_t>(line_->text[pos_++] - '0');
        if (accept('.'))
            while (pos_ < end_ && is_digit(line_->text[pos_]) && unit > 1) {
                unit /= 10;
                fraction += unit * static_cast<std::uint64_t>(line_->text[pos_++] - '0');
            }
        if (pos_ < end_ && (is_digit(line_->text[pos_]) || line_->text[pos_] == '.'))
            fail(at, "a weight has at most seven digits before the point and six after it");
        return whole * weight_unit + fraction;
    }

    Weights make_weights(const std::vector<std::uint64_t>& weights, Place place) const {
        if (std::ranges::all_of(weights, [](std::uint64_t w) { return w == 0; }))
            fail(place, "all weights are zero");
        Weights result = grammar::make_weights(weights);
        if (result.cumulative.empty())
            fail(place, "the weights differ too much (use fewer decimals)");
        return result;
    }

    Tree tree_;
    const Line* line_ = nullptr;
    std::size_t pos_ = 0, end_ = 0;
};

}  // namespace tbt::grammar
