// Unknown rows of the corpus's tables: which row a variable is stays open until the text tells.
//
//     {p=person where he!=h.he}     p: any row of person, as long as its "he" is not that of h
//     {p.name}, the text says Mira  p: the rows whose name is Mira; h: what is left beside them
//
// A variable is the set of rows that it may still be; conditions between two variables take rows
// away from either as soon as the other is known well enough. All changes can be taken back.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "chapters/19_training/corpus/corpus_tree.hpp"
#include "lib/index.hpp"

namespace tbt {

class Rows {
public:
    using Set = std::vector<std::uint64_t>;  // one bit a row

    explicit Rows(const grammar::Tree& tree) : tree_(tree) {}

    // A variable over the rows of a table that can be drawn and meet the conditions with constants.
    int add(const grammar::Node& draw);
    bool nothing(int variable) const { return count(variables_[index(variable)]) == 0; }
    int table_of(int variable) const { return variables_[index(variable)].table; }

    // The different cells that its rows have in a column, as interned texts.
    std::vector<int> cells(int variable, int column) const;
    // Keep only rows whose cell is this text, or which pass. False: none is left.
    bool keep_cell(int variable, int column, int text);
    bool keep_if(int variable, const std::function<bool(std::size_t row)>& passes);
    // column_b is not looked at for not_row.
    bool relate(grammar::Condition::Test test, int a, int column_a, int b, int column_b);

    // Is there one row for each variable so that all conditions hold?
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
        Set rows;   // that it may still be
        Set drawn;  // that could be drawn, by the conditions with constants
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
    // The rows of a set, until visit returns false.
    template <class F>
    static void each(const Set& set, F visit) {
        for (std::size_t word = 0; word < set.size(); ++word)
            for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1)
                if (!visit(word * 64 + index(std::countr_zero(bits)))) return;
    }
    template <class F>
    static void each(const Variable& v, F visit) {
        each(v.rows, visit);
    }
    std::size_t count(const Variable& v) const;
    std::size_t only_row(const Variable& v) const;
    bool narrow(int variable, Set rows);
    bool propagate(int variable);
    bool filter(const Relation& relation, int which, Set& rows) const;
    bool settled(const Relation& relation) const;

    const grammar::Tree& tree_;
    std::vector<Variable> variables_;
    std::vector<Relation> relations_;
    std::vector<Change> changes_;
};

}  // namespace tbt
