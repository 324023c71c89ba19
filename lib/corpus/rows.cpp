#include "lib/corpus/rows.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "lib/core/index.hpp"

namespace tbt {

using grammar::Condition;
using grammar::Table;

std::size_t Rows::count(const Variable& v) const {
    std::size_t n = 0;
    for (const std::uint64_t word : v.rows) n += index(std::popcount(word));
    return n;
}

int Rows::add(const grammar::Node& draw) {
    const Table& table = tree_.tables[index(draw.index)];
    Variable v{draw.index, Set((table.rows.size() + 63) / 64), {}};
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        bool fits = table.weights.of(row) > 0;
        for (const Condition& c : draw.where) {
            if (c.test == Condition::Test::not_row || c.value < 0) continue;
            const bool equal = table.rows[row][index(c.column)] == c.value;
            fits = fits && equal == (c.test == Condition::Test::equal);
        }
        if (fits) v.rows[row / 64] |= std::uint64_t{1} << row % 64;
    }
    v.drawn = v.rows;
    variables_.push_back(std::move(v));
    return static_cast<int>(variables_.size()) - 1;
}

std::vector<int> Rows::cells(int variable, int column) const {
    const Variable& v = variables_[index(variable)];
    std::vector<int> texts;
    each(v.rows, [&](std::size_t row) { texts.push_back(cell(v, row, column)); });
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
}

bool Rows::keep_cell(int variable, int column, int text) {
    const Variable& v = variables_[index(variable)];
    return keep_if(variable, [&](std::size_t row) { return cell(v, row, column) == text; });
}

bool Rows::keep_if(int variable, const std::function<bool(std::size_t row)>& passes) {
    const Variable& v = variables_[index(variable)];
    Set rows(v.rows.size());
    each(v.rows, [&](std::size_t row) {
        if (passes(row)) rows[row / 64] |= std::uint64_t{1} << row % 64;
    });
    return narrow(variable, std::move(rows));
}

bool Rows::narrow(int variable, Set rows) {
    Variable& v = variables_[index(variable)];
    if (std::ranges::all_of(rows, [](std::uint64_t word) { return word == 0; })) return false;
    if (rows == v.rows) return true;
    changes_.push_back({variable, std::move(v.rows)});
    v.rows = std::move(rows);
    return propagate(variable);
}

bool Rows::propagate(int variable) {
    for (std::size_t i = 0; i < relations_.size(); ++i) {
        const Relation r = relations_[i];
        if (r.b == variable && !narrow(r.a, fitting(r, true))) return false;
        if (r.a == variable && !narrow(r.b, fitting(r, false))) return false;
    }
    return true;
}

// The rows of variable a (if `first`, else b) that fit a row of the other variable.
Rows::Set Rows::fitting(const Relation& r, bool first) const {
    const Variable &mine = variables_[index(first ? r.a : r.b)],
                   &other = variables_[index(first ? r.b : r.a)];
    Set rows = mine.rows;
    if (r.test == Condition::Test::not_row) {
        if (count(other) != 1) return rows;
        for (std::size_t word = 0; word < rows.size(); ++word) rows[word] &= ~other.rows[word];
        return rows;
    }
    const std::vector<int> theirs = cells(first ? r.b : r.a, first ? r.column_b : r.column_a);
    const bool equal = r.test == Condition::Test::equal;
    if (!equal && theirs.size() != 1) return rows;
    each(mine.rows, [&](std::size_t row) {
        const bool among = std::binary_search(theirs.begin(), theirs.end(),
                                              cell(mine, row, first ? r.column_a : r.column_b));
        if (among != equal) rows[row / 64] &= ~(std::uint64_t{1} << row % 64);
    });
    return rows;
}

bool Rows::relate(Condition::Test test, int a, int column_a, int b, int column_b) {
    if (test == Condition::Test::not_row && table_of(a) != table_of(b)) return true;
    relations_.push_back({test, a, column_a, b, column_b});
    return propagate(a) && propagate(b);
}

// Is the condition true for all possible rows of the two variables?
bool Rows::settled(const Relation& r) const {
    const Variable &a = variables_[index(r.a)], &b = variables_[index(r.b)];
    if (r.test == Condition::Test::not_row) {
        for (std::size_t word = 0; word < a.rows.size(); ++word)
            if ((a.rows[word] & b.rows[word]) != 0) return false;
        return true;
    }
    const std::vector<int> left = cells(r.a, r.column_a), right = cells(r.b, r.column_b);
    if (r.test == Condition::Test::equal)
        return left.size() == 1 && right.size() == 1 && left == right;
    return std::ranges::none_of(
        left, [&](int text) { return std::binary_search(right.begin(), right.end(), text); });
}

bool Rows::satisfiable() {
    const auto open =
        std::ranges::find_if(relations_, [&](const Relation& r) { return !settled(r); });
    if (open == relations_.end()) return true;
    const int variable = count(variables_[index(open->a)]) > 1 ? open->a : open->b;
    if (count(variables_[index(variable)]) < 2) return false;
    std::vector<std::size_t> rows;
    each(variables_[index(variable)].rows, [&](std::size_t row) { rows.push_back(row); });
    for (const std::size_t row : rows) {
        const Mark before = mark();
        if (keep_if(variable, [&](std::size_t r) { return r == row; }) && satisfiable())
            return true;
        undo(before);
    }
    return false;
}

void Rows::undo(const Mark& mark) {
    while (changes_.size() > mark.changes) {
        Change& change = changes_.back();
        variables_[index(change.variable)].rows = std::move(change.before);
        changes_.pop_back();
    }
    variables_.resize(mark.variables, Variable{0, {}, {}});
    relations_.resize(mark.relations, Relation{});
}

// Variables that share a condition or a number form a group; groups are independent, so the
// probability is a product over them. Within a group, rows are tried in the order of drawing:
//
//     P(a = r | earlier rows) = weight(r) / sum of the weights of all rows that meet a's conditions
//
// A variable that the text does not decide and that no later condition uses sums to 1, so it is
// left out.
class RowsProbability {
public:
    RowsProbability(const Rows& rows, const std::vector<DrawnNumber>& numbers)
        : rows_(rows),
          numbers_(numbers),
          group_(rows.variables_.size()),
          needed_(group_.size()),
          chosen_(group_.size()) {
        find_needed();
        std::iota(group_.begin(), group_.end(), 0);
        for (const auto& r : rows_.relations_)
            if (needed_[index(r.a)] && needed_[index(r.b)]) join(r.a, r.b);
        for (const auto& n : numbers_)
            if (n.low.variable >= 0 && n.high.variable >= 0) join(n.low.variable, n.high.variable);
    }

    double product() {
        double result = 1;
        for (const auto& n : numbers_)
            if (n.low.variable < 0 && n.high.variable < 0) result *= share(n);
        for (int v = 0; v < count(group_) && result > 0; ++v) {
            if (!needed_[index(v)] || group_of(v) != v) continue;
            members_.clear();
            for (int w = 0; w < count(group_); ++w)
                if (needed_[index(w)] && group_of(w) == v) members_.push_back(w);
            result *= sum_from(0);
        }
        return result;
    }

private:
    void find_needed() {
        for (int v = count(group_) - 1; v >= 0; --v) {
            const auto& variable = rows_.variables_[index(v)];
            bool needed = variable.rows != variable.drawn;
            for (const auto& r : rows_.relations_)
                needed = needed || (r.b == v && needed_[index(r.a)]);
            for (const auto& n : numbers_)
                needed = needed || n.low.variable == v || n.high.variable == v;
            needed_[index(v)] = needed;
        }
    }

    // The number of a group is its first variable.
    int group_of(int v) const {
        while (group_[index(v)] != v) v = group_[index(v)];
        return v;
    }
    void join(int a, int b) {
        a = group_of(a);
        b = group_of(b);
        group_[index(std::max(a, b))] = std::min(a, b);
    }

    // The sum over the rows of members i, i + 1, …, given the rows of the members before.
    double sum_from(std::size_t i) {
        if (i == members_.size()) return shares_of_group();
        const int v = members_[i];
        const auto& variable = rows_.variables_[index(v)];
        double weight = 0, all = 0;
        Rows::each(variable.drawn, [&](std::size_t row) {
            if (!meets(v, row)) return;
            const double w = rows_.tree_.tables[index(variable.table)].weights.of(row);
            all += w;
            if ((variable.rows[row / 64] >> row % 64 & 1) != 0) {
                chosen_[index(v)] = row;
                weight += w * sum_from(i + 1);
            }
        });
        return weight == 0 ? 0 : weight / all;
    }

    // Does this row of v satisfy the conditions with rows that were drawn before?
    bool meets(int v, std::size_t row) const {
        for (const auto& r : rows_.relations_) {
            if (r.a != v) continue;
            const std::size_t other = chosen_[index(r.b)];
            const auto& b = rows_.variables_[index(r.b)];
            const auto& a = rows_.variables_[index(v)];
            if (r.test == Condition::Test::not_row) {
                if (row == other) return false;
                continue;
            }
            const bool equal = rows_.cell(a, row, r.column_a) == rows_.cell(b, other, r.column_b);
            if (equal != (r.test == Condition::Test::equal)) return false;
        }
        return true;
    }

    std::int64_t value(const DrawnNumber::Bound& bound) const {
        if (bound.variable < 0) return bound.constant;
        const auto& v = rows_.variables_[index(bound.variable)];
        const int cell = rows_.cell(v, chosen_[index(bound.variable)], bound.column);
        return std::atoll(rows_.tree_.strings[index(cell)].c_str());
    }

    double share(const DrawnNumber& n) const {
        const std::int64_t low = value(n.low), high = value(n.high);
        return low <= n.value && n.value <= high ? 1 / static_cast<double>(high - low + 1) : 0;
    }

    double shares_of_group() const {
        double result = 1;
        for (const auto& n : numbers_) {
            const int v = n.low.variable >= 0 ? n.low.variable : n.high.variable;
            if (v >= 0 && group_of(v) == group_of(members_[0])) result *= share(n);
        }
        return result;
    }

    const Rows& rows_;
    const std::vector<DrawnNumber>& numbers_;
    std::vector<int> group_, members_;
    std::vector<bool> needed_;
    std::vector<std::size_t> chosen_;
};

double probability(const Rows& rows, const std::vector<DrawnNumber>& numbers) {
    return RowsProbability(rows, numbers).product();
}

}  // namespace tbt
