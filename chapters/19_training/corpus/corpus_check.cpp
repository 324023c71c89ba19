#include "chapters/19_training/corpus/corpus_check.hpp"

#include <algorithm>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt::grammar {

namespace {

class Walk {
public:
    Walk(const Tree& tree, const Genre& genre)
        : tree_(tree), genre_(genre), tables_(tree.variables.size()) {
        std::size_t before;
        do {
            before = known();
            rules_.clear();
            visit_rule(genre.rule);
        } while (known() != before);
    }

    void check() {
        checking_ = true;
        rules_.clear();
        visit_rule(genre_.rule);
        const Place place = rule(genre_.rule).place;
        for (const auto& [slot, column] : genre_.hold)
            column < 0 ? need_value(slot, place) : need_column(slot, column, place);
    }

    const std::set<int>& rules() const { return rules_; }
    const std::set<int>& drawn_tables() const { return drawn_; }

private:
    const Rule& rule(int index) const { return tree_.rules[static_cast<std::size_t>(index)]; }
    const std::string& variable(int slot) const { return tree_.variables[index(slot)]; }
    std::size_t known() const {
        std::size_t n = rules_.size() + plain_.size();
        for (const auto& tables : tables_) n += tables.size();
        return n;
    }
    [[noreturn]] void fail(Place place, const std::string& message) const {
        throw Error(tree_.where(place) + message + " (in genre '" + rule(genre_.rule).name + "')");
    }

    void visit_rule(int index) {
        if (!rules_.insert(index).second) return;
        visit_choice(rule(index).choice);
    }
    void visit_choice(const Choice& choice) {
        for (const Sequence& piece : choice.pieces)
            for (const Node& node : piece) visit(node);
    }

    void visit(const Node& n) {
        switch (n.kind) {
            case Kind::text:
                break;
            case Kind::choice:
                visit_choice(tree_.choices[index(n.index)]);
                break;
            case Kind::rule:
            case Kind::repeat:
                visit_rule(n.index);
                break;
            case Kind::draw:
                tables_[index(n.slot)].insert(n.index);
                drawn_.insert(n.index);
                if (checking_) conditions(n);
                break;
            case Kind::column:
                if (checking_) need_column(n.slot, n.column_name, n.place);
                break;
            case Kind::indirect:
                indirect(n);
                break;
            case Kind::keep:
                plain_.insert(n.slot);
                visit_choice(tree_.choices[index(n.index)]);
                break;
            case Kind::guard:
                for (const Condition& c : n.where) {
                    if (checking_ && c.column >= 0) need_column(c.subject, c.column, n.place);
                    if (checking_ && c.column_name >= 0)
                        need_column(c.slot, c.column_name, n.place);
                }
                break;
            case Kind::change:
                if (checking_) need_column(n.slot, n.column_name, n.place);
                visit_choice(tree_.choices[index(n.index)]);
                break;
            case Kind::mention:
                if (checking_) need_column(n.slot, n.column_name, n.place);
                break;
            case Kind::variable:
                if (checking_) need_value(n.slot, n.place);
                break;
            case Kind::integer:
            case Kind::calc:
                plain_.insert(n.slot);
                if (checking_) operand(n.left, n.place), operand(n.right, n.place);
                break;
        }
    }

    void conditions(const Node& n) const {
        for (const Condition& c : n.where) {
            if (c.column_name >= 0) need_column(c.slot, c.column_name, n.place);
            else if (c.slot >= 0 && tables_[index(c.slot)].count(n.index) == 0)
                fail(n.place, "'not " + variable(c.slot) + "': no row of table '" +
                                  tree_.tables[index(n.index)].name + "' is ever drawn as '" +
                                  variable(c.slot) + "'");
        }
    }

    void operand(const Operand& o, Place place) const {
        if (o.slot < 0) return;
        if (o.column_name >= 0) need_column(o.slot, o.column_name, place);
        else need_value(o.slot, place);
    }

    void need_value(int slot, Place place) const {
        if (plain_.count(slot) != 0) return;
        if (tables_[index(slot)].empty()) fail(place, "'" + variable(slot) + "' is never drawn");
        fail(place, "'" + variable(slot) + "' is a row; name one of its columns, as in {" +
                        variable(slot) + ".name}");
    }

    void need_column(int slot, int column_name, Place place) const {
        const auto& tables = tables_[index(slot)];
        if (tables.empty()) fail(place, "'" + variable(slot) + "' is never drawn from a table");
        std::vector<std::string> columns;
        for (const int t : tables) {
            const Table& table = tree_.tables[index(t)];
            if (table.column_of_name[index(column_name)] >= 0) return;
            columns.insert(columns.end(), table.columns.begin(), table.columns.end());
        }
        const std::string& name = tree_.column_names[index(column_name)];
        fail(place, "'" + variable(slot) + "' is a row of table '" +
                        tree_.tables[index(*tables.begin())].name + "', which has no column '" +
                        name + "'" + did_you_mean(name, columns));
    }

    void indirect(const Node& n) {
        if (checking_) need_column(n.slot, n.column_name, n.place);
        const std::set<int> tables = tables_[index(n.slot)];
        for (const int t : tables) {
            const Table& table = tree_.tables[index(t)];
            const int column = table.column_of_name[index(n.column_name)];
            for (std::size_t row = 0; column >= 0 && row < table.rows.size(); ++row) {
                const auto string = index(table.rows[row][index(column)]);
                const int target = tree_.rule_of_string[string];
                if (target >= 0) visit_rule(target);
                else if (checking_ && !tree_.strings[string].empty())
                    no_such_rule(tree_.strings[string], table.row_places[row]);
            }
        }
    }

    [[noreturn]] void no_such_rule(const std::string& name, Place place) const {
        std::vector<std::string> names;
        for (const Rule& r : tree_.rules) names.push_back(r.name);
        fail(place, "no rule named '" + name + "'" + did_you_mean(name, names));
    }

    const Tree& tree_;
    const Genre& genre_;
    bool checking_ = false;
    std::set<int> rules_;                // the reachable rules
    std::set<int> drawn_;                // the tables that are drawn from
    std::vector<std::set<int>> tables_;  // variable -> the tables its rows come from
    std::set<int> plain_;                // variables whose value is a text or a number
};

}  // namespace

void check(const Tree& tree) {
    for (const Genre& genre : tree.genres) Walk(tree, genre).check();
}

std::vector<std::string> unused(const Tree& tree) {
    std::set<int> rules, tables;
    for (const Genre& genre : tree.genres) {
        const Walk walk(tree, genre);
        rules.insert(walk.rules().begin(), walk.rules().end());
        tables.insert(walk.drawn_tables().begin(), walk.drawn_tables().end());
    }
    std::vector<std::string> result;
    for (std::size_t r = 0; r < tree.rules.size(); ++r)
        if (rules.count(to_int(r)) == 0)
            result.push_back(tree.where(tree.rules[r].place) + "rule '" + tree.rules[r].name +
                             "' is never used");
    for (std::size_t t = 0; t < tree.tables.size(); ++t)
        if (tables.count(to_int(t)) == 0)
            result.push_back(tree.where(tree.tables[t].place) + "table '" + tree.tables[t].name +
                             "' is never drawn from");
    return result;
}

}  // namespace tbt::grammar
