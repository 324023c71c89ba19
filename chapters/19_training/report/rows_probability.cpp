#include "chapters/19_training/report/rows_probability.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "lib/core/index.hpp"

namespace tbt {

using grammar::Condition;

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
            if (!meets(v, row)) return true;
            const double w = rows_.tree_.tables[index(variable.table)].weights.of(row);
            all += w;
            if ((variable.rows[row / 64] >> row % 64 & 1) != 0) {
                chosen_[index(v)] = row;
                weight += w * sum_from(i + 1);
            }
            return true;
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
