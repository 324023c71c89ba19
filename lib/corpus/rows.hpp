// Constraint propagation for the rows of the corpus's tables: a variable stays open until the text
// decides which row it is.
//
//     {p=person where he!=h.he}     p: any row of person whose "he" differs from that of h
//     {p.name}, the text says Mira  p: the rows with the name Mira; h: the rows that fit these
//
// A variable is the set of rows that are still possible. A condition between two variables removes
// rows of one as soon as enough is known of the other. All changes can be undone.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/corpus/tree.hpp"

namespace tbt {

class Rows {
public:
    using Set = std::vector<std::uint64_t>;  // one bit for each row

    explicit Rows(const grammar::Tree& tree) : tree_(tree) {}

    // Adds a variable: the rows of a table that can be drawn and satisfy the conditions with
    // constants. Returns its number.
    int add(const grammar::Node& draw);
    bool nothing(int variable) const { return count(variables_[index(variable)]) == 0; }
    int table_of(int variable) const { return variables_[index(variable)].table; }

    // The different cells of its rows in a column, as numbers of interned texts.
    std::vector<int> cells(int variable, int column) const;
    // Keep only the rows whose cell is this text, or for which passes() is true. Return false if
    // none is left.
    bool keep_cell(int variable, int column, int text);
    bool keep_if(int variable, const std::function<bool(std::size_t row)>& passes);
    // Adds a condition between variables a and b; for Test::not_row the columns are ignored.
    bool relate(grammar::Condition::Test test, int a, int column_a, int b, int column_b);

    // Can each variable get a row such that all conditions are true?
    bool satisfiable();

    struct Mark {
        std::size_t variables, relations, changes;
    };
    Mark mark() const { return {variables_.size(), relations_.size(), changes_.size()}; }
    void undo(const Mark& mark);

private:
    friend class RowsProbability;
    struct Variable {
        int table;
        Set rows;   // the rows that are still possible
        Set drawn;  // the rows that could be drawn, by the conditions with constants
    };
    struct Relation {
        grammar::Condition::Test test;
        int a, column_a, b, column_b;
    };
    struct Change {
        int variable;
        Set before;
    };

    int cell(const Variable& v, std::size_t row, int column) const {
        return tree_.tables[index(v.table)].rows[row][index(column)];
    }
    // Calls visit(row) for each row of a set.
    template <class F>
    static void each(const Set& set, F visit) {
        for (std::size_t word = 0; word < set.size(); ++word)
            for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1)
                visit(word * 64 + index(std::countr_zero(bits)));
    }
    std::size_t count(const Variable& v) const;
    bool narrow(int variable, Set rows);
    bool propagate(int variable);
    Set fitting(const Relation& relation, bool first) const;
    bool settled(const Relation& relation) const;

    const grammar::Tree& tree_;
    std::vector<Variable> variables_;
    std::vector<Relation> relations_;
    std::vector<Change> changes_;
};

// A number that was drawn uniformly between two bounds: constants, or cells of a row.
struct DrawnNumber {
    struct Bound {
        std::int64_t constant = 0;
        int variable = -1, column = -1;  // −1: the constant
    };
    std::int64_t value = 0;
    Bound low, high;
};

// The probability, between 0 and 1, that the variables of a derivation have values that fit the
// text: each, drawn in order, becomes one of its possible rows and each number gets its value.
double probability(const Rows& rows, const std::vector<DrawnNumber>& numbers);

}  // namespace tbt
