// The syntax tree of the grammar files. Every name is already a number, so the expansion does not
// need the source text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/corpus/telling.hpp"

namespace tbt::grammar {

struct Place {
    int file = 0, line = 0, column = 0;
};

// The integer weights of n alternatives. cumulative[i] = w[0] + … + w[i].
struct Weights {
    std::vector<std::uint32_t> cumulative;
    std::vector<double> bits;  // log2(total / w[i])
    std::uint32_t total() const { return cumulative.empty() ? 0 : cumulative.back(); }
    std::uint32_t of(std::size_t i) const {
        return cumulative[i] - (i == 0 ? 0 : cumulative[i - 1]);
    }
};

// The weights divided by their greatest common divisor; empty if all are zero or the sum exceeds
// 2^32.
Weights make_weights(std::vector<std::uint64_t> weights);

enum class Kind {
    text,      // literal text
    choice,    // {a|b|c}
    rule,      // {rule}
    draw,      // {x=table where ...}
    column,    // {x.col}
    indirect,  // {>x.col}
    keep,      // {x:=rule} or {x:={...}}
    variable,  // {x}
    integer,   // {x=int low high}
    calc,      // {z=calc x + y}
    repeat,    // {3..6 of rule sep ", "}
    guard,     // {if x.col=text and y!=z.col}, the first of an alternative or piece
    change,    // {x.col:=rule} or {x.col:={...}}
    mention,   // {@x}, {@x.him}, {@x.his}
    command,   // {!past 1}
};

// A number in calc and int: a constant, a kept number, or a column with a number.
struct Operand {
    std::int64_t constant = 0;
    int slot = -1;         // -1: the constant
    int column_name = -1;  // -1: the variable itself
};

struct Condition {
    enum class Test { equal, unequal, not_row } test = Test::equal;
    int subject = -1;      // guards: the variable on the left; -1: the row that may be drawn
    int column = -1;       // of the table that is drawn from; guards: the column's name, or -1
    int value = -1;        // an interned text, or -1: compare with a column of another row
    int slot = -1;         // that row
    int column_name = -1;  // and its column
};

struct Node {
    Kind kind = Kind::text;
    bool capital = false;  // ^
    bool article = false;  // %
    Place place;
    std::string text;  // text: the text; repeat: the separator
    int slot = -1;     // the variable that is read or written
    int index = -1;    // rule, draw: which rule or table; choice, keep, command: which of these
    int column_name = -1;
    Operand left, right;  // calc, int, and repeat's two counts
    char op = 0;
    std::vector<Condition> where;
};

using Sequence = std::vector<Node>;

struct Choice {
    std::vector<Sequence> pieces;
    Weights weights;
    bool guarded = false;  // some piece begins with {if ...}
};

struct Table {
    std::string name;
    Place place;
    std::vector<std::string> columns;
    std::vector<int> column_of_name;     // column name id -> column, -1 where there is none
    std::vector<std::vector<int>> rows;  // interned texts
    std::vector<Place> row_places;
    Weights weights;
};

struct Rule {
    std::string name;
    Place place;
    Choice choice;
};

struct Genre {
    int rule = -1;
    std::vector<std::pair<int, int>> hold;  // (variable, column name or -1)
    std::vector<std::string> hold_names;    // as written
};

struct Tree {
    std::vector<std::string> files;
    std::vector<Table> tables;
    std::vector<Rule> rules;
    std::vector<Genre> genres;
    Weights genre_weights;                   // for documents
    std::vector<std::uint64_t> byte_shares;  // if genres have percentages of the bytes; else empty
    std::vector<Choice> choices;             // the {a|b} inside alternatives
    std::vector<std::string> variables;      // slot -> name
    std::vector<std::string> column_names;   // id -> name
    int name_column = -1, he_column = -1;    // ids of "name" and "he", for mentions
    std::vector<std::string> strings;        // id -> the text of a cell
    std::vector<int> rule_of_string;         // id -> the rule of that name, or -1
    std::shared_ptr<const Lexicon> lexicon;  // for commands; null: none
    std::vector<Command> commands;

    std::string where(Place p) const;  // "file:line:column: "
};

// Reads a whole number of at most 12 digits (without a sign: 13). Returns false if it is none.
bool read_whole(const std::string& text, std::int64_t& value);

// a op b, for + - * / and %; b is not 0 in a division.
std::int64_t calculated(std::int64_t a, char op, std::int64_t b);

// " (did you mean 'person'?)" if a known name is close to the given one, else "".
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

}  // namespace tbt::grammar
