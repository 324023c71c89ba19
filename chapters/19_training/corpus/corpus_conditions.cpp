#include "chapters/19_training/corpus/corpus_conditions.hpp"

#include <algorithm>

#include "lib/core/index.hpp"

namespace tbt::grammar {

void ConditionReader::draw(Node& node, const std::string& source, std::size_t source_at,
                           std::size_t close) {
    const auto table = table_index_.find(source);
    if (table == table_index_.end()) {
        if (rule_index_.count(source) != 0)
            fail(source_at, in_quotes(source) +
                                " is a rule, not a table (to keep its text write {" +
                                tree_.variables[index(node.slot)] + ":=" + source + "})");
        fail(source_at,
             "no table named " + in_quotes(source) + did_you_mean(source, names(table_index_)));
    }
    node.kind = Kind::draw;
    node.index = table->second;
    skip_spaces();
    if (pos_ == close) return;
    const std::size_t at = pos_;
    if (word() != "where") fail(at, "expected 'where' after the table's name");
    for (;;) {
        std::size_t end = line_->text.find(" and ", pos_);
        if (end == std::string::npos || end > close) end = close;
        node.where.push_back(condition(tree_.tables[index(node.index)], end));
        pos_ = end;
        if (end == close) return;
        pos_ += 5;
    }
}

Condition ConditionReader::condition(const Table& table, std::size_t end) {
    Condition result;
    skip_spaces();
    const std::size_t at = pos_;
    const std::string column = word();
    skip_spaces();
    if (column == "not" && pos_ < end && is_name_start(line_->text[pos_])) {
        result.test = Condition::Test::not_row;
        result.slot = variable(word());
        skip_spaces();
        if (pos_ < end) fail(pos_, "expected the end of the condition");
        return result;
    }
    const auto found = std::find(table.columns.begin(), table.columns.end(), column);
    if (found == table.columns.end())
        fail(at, "table " + in_quotes(table.name) + " has no column " + in_quotes(column) +
                     did_you_mean(column, table.columns));
    result.column = to_int(found - table.columns.begin());
    if (accept('!')) result.test = Condition::Test::unequal;
    if (!accept('=')) fail(pos_, "expected = or != after the column " + in_quotes(column));
    skip_spaces();
    const std::size_t value_at = pos_;
    compared_value(result, end);
    if (result.value >= 0) must_occur(table, result, value_at);
    return result;
}

void ConditionReader::guard(Node& node, std::size_t close) {
    node.kind = Kind::guard;
    for (;;) {
        std::size_t end = line_->text.find(" and ", pos_);
        if (end == std::string::npos || end > close) end = close;
        Condition c;
        skip_spaces();
        c.subject = variable(need_name("a variable"));
        if (accept('.')) c.column = column_name(need_name("a column's name"));
        if (accept('!')) c.test = Condition::Test::unequal;
        if (!accept('=')) fail(pos_, "expected = or != in {if ...}");
        compared_value(c, end);
        node.where.push_back(c);
        pos_ = end;
        if (end == close) return;
        pos_ += 5;
    }
}

void ConditionReader::compared_value(Condition& result, std::size_t end) {
    const std::size_t at = pos_;
    const std::string name = word();
    if (!name.empty() && accept('.') && is_name_start(line_->text[pos_])) {
        const std::string column = word();
        skip_spaces();
        if (pos_ >= end) {
            result.slot = variable(name);
            result.column_name = column_name(column);
            return;
        }
    }
    pos_ = at;
    std::string text;
    const bool in_quotes = accept('"');
    while (pos_ < end && !(in_quotes && line_->text[pos_] == '"')) {
        if (line_->text[pos_] == '\\') text += escape();
        else text += line_->text[pos_++];
    }
    if (in_quotes && !accept('"')) fail(at, "this \" is never closed");
    if (!in_quotes)
        while (!text.empty() && is_space(text.back())) text.pop_back();
    result.value = string(text);
}

void ConditionReader::must_occur(const Table& table, const Condition& condition,
                                 std::size_t at) const {
    std::vector<std::string> values;
    for (const auto& row : table.rows) {
        const int cell = row[index(condition.column)];
        if (cell == condition.value) return;
        values.push_back(tree_.strings[index(cell)]);
    }
    const std::string& text = tree_.strings[index(condition.value)];
    fail(at, "no row of table " + in_quotes(table.name) + " has " + in_quotes(text) +
                 " in column " + in_quotes(table.columns[index(condition.column)]) +
                 did_you_mean(text, values));
}

int ConditionReader::intern(std::map<std::string, int>& ids, std::vector<std::string>& names,
                            const std::string& s) {
    const auto [found, fresh] = ids.emplace(s, count(names));
    if (fresh) names.push_back(s);
    return found->second;
}

int ConditionReader::variable(const std::string& s) {
    return intern(variable_ids_, tree_.variables, s);
}

int ConditionReader::column_name(const std::string& s) {
    return intern(column_ids_, tree_.column_names, s);
}

int ConditionReader::string(const std::string& s) { return intern(string_ids_, tree_.strings, s); }

std::vector<std::string> ConditionReader::names(const std::map<std::string, int>& of) {
    std::vector<std::string> result;
    for (const auto& [name, index] : of) result.push_back(name);
    return result;
}

}  // namespace tbt::grammar
