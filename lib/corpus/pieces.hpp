// Reads the pieces of the grammar notation into nodes of the tree: names, numbers, weights and
// escapes; draws with their conditions; the alternatives of a rule, which are text,
// {choices|of|pieces}, rules, variables, numbers and repetition. parse.cpp has found the names of
// all tables and rules before; each variable, column and text gets a number when it first occurs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/corpus/tree.hpp"

namespace tbt::grammar {

inline bool is_space(char c) { return c == ' ' || c == '\t'; }

// A logical line: physical lines joined at a final backslash, without comments. For each joined
// part it has the position where the part began, so that an error can name line and column.
struct Line {
    std::string text;
    struct Part {
        std::size_t offset;
        int line, column;
    };
    std::vector<Part> parts;
    int file = 0;
    bool indented = false;

    Place at(std::size_t offset) const;
};

constexpr std::uint64_t weight_unit = 1'000'000;  // weights are read as millionths, exactly

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline std::string in_quotes(const std::string& s) { return "'" + s + "'"; }

class PieceReader {
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
    std::string word();
    std::string need_name(const std::string& what);
    char escape();
    // Reads a weight, [3] or [0.5]; for lines, also the spaces after it. Anything else in brackets
    // is ordinary text, and the weight is 1.
    std::uint64_t optional_weight(bool of_a_line);
    std::uint64_t number_weight();
    Weights make_weights(const std::vector<std::uint64_t>& weights, Place place) const;

    // Parses the text after {p=person, such as where town!=q.town and not q. pos_ is there; the
    // closing brace is at `close`.
    void draw(Node& node, const std::string& source, std::size_t source_at, std::size_t close);
    Condition condition(const Table& table, std::size_t end);
    // Parses the text after {if, such as x.col=text and y!=z.col. The closing brace is at `close`.
    void guard(Node& node, std::size_t close);
    // Parses y.col, or a text (in quotes if it looks like y.col).
    void compared_value(Condition& result, std::size_t end);
    void must_occur(const Table& table, const Condition& condition, std::size_t at) const;

    static int intern(std::map<std::string, int>& ids, std::vector<std::string>& names,
                      const std::string& s);
    int variable(const std::string& s);
    int column_name(const std::string& s);
    int string(const std::string& s);
    static std::vector<std::string> names(const std::map<std::string, int>& of);

    // Parses text and braces up to the end of the line, or inside braces up to the | or } that ends
    // the piece.
    Sequence sequence(bool inside);
    Node braces();
    std::size_t matching(std::size_t open, bool& has_bar) const;
    void inline_choice(Node& node, std::size_t open);
    // Parses everything in braces that is not {a|b}. pos_ is after the {.
    void command(Node& node, std::size_t open, std::size_t close);
    // Parses the rule or choice after the :=, whose text is kept.
    void kept(Node& node);
    // Parses {!past 1} after the !.
    void told(Node& node, std::size_t close);
    // Parses {@x} after the @.
    void mention(Node& node);
    void add_piece(Choice& choice, Sequence piece) const;
    void bind(Node& node, const std::string& name, std::size_t at, std::size_t close);
    void repeat(Node& node);
    Operand operand();
    int rule_named();

    Tree tree_;
    const Line* line_ = nullptr;
    std::size_t pos_ = 0, end_ = 0;
    std::map<std::string, int> table_index_, rule_index_, variable_ids_, column_ids_, string_ids_;
    std::vector<std::pair<int, Place>> variable_uses_;
    std::set<int> bound_;
};

}  // namespace tbt::grammar
