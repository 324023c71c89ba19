#include "lib/corpus/pieces.hpp"

#include <algorithm>
#include <utility>

#include "lib/core/index.hpp"

namespace tbt::grammar {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }

}  // namespace

Place Line::at(std::size_t offset) const {
    const Part* best = &parts.front();
    for (const Part& part : parts)
        if (part.offset <= offset) best = &part;
    return {file, best->line, best->column + to_int(offset - best->offset)};
}

std::string PieceReader::word() {
    const std::size_t from = pos_;
    if (pos_ < end_ && is_name_start(line_->text[pos_]))
        while (pos_ < end_ && is_name_char(line_->text[pos_])) ++pos_;
    return line_->text.substr(from, pos_ - from);
}

std::string PieceReader::need_name(const std::string& what) {
    std::string name = word();
    if (name.empty()) fail(pos_, "expected " + what + " (letters, digits and _)");
    return name;
}

char PieceReader::escape() {
    const std::size_t at = pos_++;
    const char c = pos_ < end_ ? line_->text[pos_++] : '\0';
    if (c == 'n') return '\n';
    if (c == 's') return ' ';
    if (std::string("\\{}|[]#\"").find(c) != std::string::npos && c != '\0') return c;
    fail(at, "unknown escape (known: \\n \\s \\\\ \\{ \\} \\| \\[ \\] \\# \\\")");
}

std::uint64_t PieceReader::optional_weight(bool of_a_line) {
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

std::uint64_t PieceReader::number_weight() {
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

Weights PieceReader::make_weights(const std::vector<std::uint64_t>& weights, Place place) const {
    if (std::ranges::all_of(weights, [](std::uint64_t w) { return w == 0; }))
        fail(place, "all weights are zero");
    Weights result = grammar::make_weights(weights);
    if (result.cumulative.empty()) fail(place, "the weights differ too much (use fewer decimals)");
    return result;
}

void PieceReader::draw(Node& node, const std::string& source, std::size_t source_at,
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

Condition PieceReader::condition(const Table& table, std::size_t end) {
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

void PieceReader::guard(Node& node, std::size_t close) {
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

void PieceReader::compared_value(Condition& result, std::size_t end) {
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

void PieceReader::must_occur(const Table& table, const Condition& condition, std::size_t at) const {
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

int PieceReader::intern(std::map<std::string, int>& ids, std::vector<std::string>& names,
                        const std::string& s) {
    const auto [found, fresh] = ids.emplace(s, count(names));
    if (fresh) names.push_back(s);
    return found->second;
}

int PieceReader::variable(const std::string& s) {
    return intern(variable_ids_, tree_.variables, s);
}

int PieceReader::column_name(const std::string& s) {
    return intern(column_ids_, tree_.column_names, s);
}

int PieceReader::string(const std::string& s) { return intern(string_ids_, tree_.strings, s); }

std::vector<std::string> PieceReader::names(const std::map<std::string, int>& of) {
    std::vector<std::string> result;
    for (const auto& [name, index] : of) result.push_back(name);
    return result;
}

Sequence PieceReader::sequence(bool inside) {
    Sequence nodes;
    auto literal = [&](const std::string& s) {
        if (nodes.empty() || nodes.back().kind != Kind::text) {
            nodes.emplace_back();
            nodes.back().place = line_->at(pos_);
        }
        nodes.back().text += s;
    };
    while (pos_ < end_) {
        const char c = line_->text[pos_];
        if (c == '\\') literal(std::string(1, escape()));
        else if (c == '{') nodes.push_back(braces());
        else if (c == '}') {
            if (inside) break;
            fail(pos_, "a } without its {  (write \\} for the character)");
        } else if (c == '|') {
            if (inside) break;
            fail(pos_, "a | outside braces (one alternative a line; write \\| for the character)");
        } else {
            literal(std::string(1, c));
            ++pos_;
        }
    }
    return nodes;
}

Node PieceReader::braces() {
    const std::size_t open = pos_;
    bool is_choice = false;
    const std::size_t close = matching(open, is_choice);
    Node node;
    node.place = line_->at(open);
    ++pos_;
    if (is_choice) inline_choice(node, open);
    else command(node, open, close);
    if (pos_ != close)
        fail(pos_, "not understood: " + in_quotes(line_->text.substr(open, close - open + 1)));
    ++pos_;
    return node;
}

std::size_t PieceReader::matching(std::size_t open, bool& has_bar) const {
    int depth = 0;
    for (std::size_t i = open; i < end_; ++i) {
        const char c = line_->text[i];
        if (c == '\\') ++i;
        else if (c == '{') ++depth;
        else if (c == '}' && --depth == 0) return i;
        else if (c == '|' && depth == 1) has_bar = true;
    }
    fail(open, "this { is never closed");
}

void PieceReader::inline_choice(Node& node, std::size_t open) {
    const std::string head = line_->text.substr(pos_, 40);
    const std::size_t name_end = static_cast<std::size_t>(
        std::find_if_not(head.begin(), head.end(), is_name_char) - head.begin());
    if (name_end > 0 && head.compare(name_end, 2, ":=") == 0)
        fail(open, "to keep one of several pieces write {x:={a|b}}");
    Choice choice;
    std::vector<std::uint64_t> weights;
    std::map<std::string, int> seen;
    for (;;) {
        weights.push_back(optional_weight(false));
        const std::size_t from = pos_;
        add_piece(choice, sequence(true));
        if (!seen.emplace(line_->text.substr(from, pos_ - from), 0).second)
            fail(from, "the same piece twice: " + in_quotes(line_->text.substr(from, pos_ - from)) +
                           " (use a weight, as in {[2]a|b})");
        if (line_->text[pos_] == '}') break;
        ++pos_;
    }
    choice.weights = make_weights(weights, node.place);
    node.kind = Kind::choice;
    node.index = count(tree_.choices);
    tree_.choices.push_back(std::move(choice));
}

void PieceReader::command(Node& node, std::size_t open, std::size_t close) {
    const std::string whole = line_->text.substr(open, close - open + 1);
    if (accept('@')) return mention(node);
    if (accept('!')) return told(node, close);
    if (accept('%')) node.article = true;
    const bool indirect = accept('>');
    if (pos_ < close && is_digit(line_->text[pos_]) && !indirect && !node.article)
        return repeat(node);
    const std::size_t at = pos_;
    const std::string name = word();
    if (name.empty())
        fail(at, "not understood: " + in_quotes(whole) + " (write \\{ for the character)");
    const char next = line_->text[pos_];
    if (name == "if" && next == ' ') return guard(node, close);
    if (next == '=' || next == ':') {
        if (node.article || indirect) fail(at, "not understood: " + in_quotes(whole));
        return bind(node, name, at, close);
    }
    if (next == '.') {
        ++pos_;
        node.kind = indirect ? Kind::indirect : Kind::column;
        node.slot = variable(name);
        node.column_name = column_name(need_name("a column's name"));
        if (accept(':')) {
            if (node.article || indirect) fail(at, "not understood: " + in_quotes(whole));
            node.kind = Kind::change;
            return kept(node);
        }
    } else if (indirect) {
        fail(at, "{>x.col} needs a column, not " + in_quotes(whole));
    } else if (const auto rule = rule_index_.find(name); rule != rule_index_.end()) {
        node.kind = Kind::rule;
        node.index = rule->second;
    } else {
        node.kind = Kind::variable;
        node.slot = variable(name);
        variable_uses_.emplace_back(node.slot, line_->at(at));
    }
    node.capital = accept('^');
}

void PieceReader::told(Node& node, std::size_t close) {
    if (tree_.lexicon == nullptr) fail(pos_ - 1, "{!…} needs a file *.lexicon in the same folders");
    node.capital = line_->text[close - 1] == '^';
    const std::size_t end = close - (node.capital ? 1 : 0);
    node.kind = Kind::command;
    node.index = count(tree_.commands);
    tree_.commands.push_back(
        command_of(line_->text.substr(pos_, end - pos_), *tree_.lexicon, tree_.where(node.place)));
    pos_ = close;
}

void PieceReader::bind(Node& node, const std::string& name, std::size_t at, std::size_t close) {
    if (rule_index_.count(name) != 0)
        fail(at, in_quotes(name) + " is a rule; give the variable another name");
    node.slot = variable(name);
    bound_.insert(node.slot);
    if (accept(':')) {
        node.kind = Kind::keep;
        return kept(node);
    }
    ++pos_;  // the =
    skip_spaces();
    const std::size_t source_at = pos_;
    const std::string source = word();
    if (source == "int") {
        node.kind = Kind::integer;
        node.left = operand();
        node.right = operand();
        if (node.left.slot < 0 && node.right.slot < 0 && node.left.constant > node.right.constant)
            fail(source_at, "the lower bound is above the upper one");
        skip_spaces();
    } else if (source == "calc") {
        node.kind = Kind::calc;
        node.left = operand();
        skip_spaces();
        node.op = line_->text[pos_++];
        if (std::string("+-*/%").find(node.op) == std::string::npos)
            fail(pos_ - 1, "calc knows + - * / %");
        node.right = operand();
        skip_spaces();
    } else {
        draw(node, source, source_at, close);
    }
}

void PieceReader::kept(Node& node) {
    if (!accept('=')) fail(pos_, "expected := ");
    skip_spaces();
    Choice choice;
    if (accept('"')) {
        const std::size_t end = std::exchange(end_, line_->text.find('"', pos_));
        if (end_ > end) fail(pos_ - 1, "this \" is never closed");
        choice.pieces.push_back(sequence(false));
        end_ = end;
        ++pos_;
    } else if (line_->text[pos_] == '{') {
        choice.pieces.push_back(sequence(true));
    } else {
        Node rule;
        rule.kind = Kind::rule;
        rule.place = line_->at(pos_);
        rule.index = rule_named();
        rule.capital = accept('^');
        choice.pieces.push_back({rule});
    }
    choice.weights = make_weights({weight_unit}, node.place);
    node.index = count(tree_.choices);
    tree_.choices.push_back(std::move(choice));
}

void PieceReader::mention(Node& node) {
    node.kind = Kind::mention;
    node.slot = variable(need_name("a variable"));
    node.column_name = column_name(accept('.') ? need_name("him or his") : "he");
    const std::string& form = tree_.column_names[index(node.column_name)];
    if (form != "he" && form != "him" && form != "his")
        fail(pos_, "a mention is {@x}, {@x.him} or {@x.his}");
    node.capital = accept('^');
}

void PieceReader::add_piece(Choice& choice, Sequence piece) const {
    for (std::size_t i = 0; i < piece.size(); ++i) {
        if (piece[i].kind != Kind::guard) continue;
        if (i > 0) fail(piece[i].place, "{if ...} is the first thing in an alternative or piece");
        choice.guarded = true;
    }
    choice.pieces.push_back(std::move(piece));
}

void PieceReader::repeat(Node& node) {
    node.kind = Kind::repeat;
    const std::size_t at = pos_;
    node.left = node.right = operand();
    if (accept('.')) {
        if (!accept('.')) fail(pos_, "expected two dots, as in {3..6 of rule}");
        node.right = operand();
    }
    if (node.left.slot < 0 && node.right.slot < 0 && node.left.constant > node.right.constant)
        fail(at, "the lower count is above the upper one");
    skip_spaces();
    if (word() != "of") fail(at, "expected 'of', as in {3..6 of rule}");
    skip_spaces();
    node.index = rule_named();
    skip_spaces();
    if (line_->text[pos_] == '}') return;
    if (word() != "sep") fail(pos_, "expected 'sep' or the closing brace");
    skip_spaces();
    if (!accept('"')) fail(pos_, "expected a text in double quotes after 'sep'");
    while (pos_ < end_ && line_->text[pos_] != '"') {
        if (line_->text[pos_] == '\\') node.text += escape();
        else node.text += line_->text[pos_++];
    }
    if (!accept('"')) fail(pos_, "the text after 'sep' is never closed");
    skip_spaces();
}

Operand PieceReader::operand() {
    skip_spaces();
    Operand result;
    const std::size_t at = pos_;
    const bool negative = accept('-');
    if (pos_ < end_ && is_digit(line_->text[pos_])) {
        while (pos_ < end_ && is_digit(line_->text[pos_])) {
            result.constant = result.constant * 10 + (line_->text[pos_++] - '0');
            if (result.constant > 1'000'000'000) fail(at, "a number above 1000000000");
        }
        if (negative) result.constant = -result.constant;
        return result;
    }
    if (negative) fail(at, "expected a number");
    result.slot = variable(need_name("a number or a variable"));
    if (accept('.')) result.column_name = column_name(need_name("a column's name"));
    return result;
}

int PieceReader::rule_named() {
    const std::size_t at = pos_;
    const std::string name = need_name("a rule's name");
    const auto found = rule_index_.find(name);
    if (found != rule_index_.end()) return found->second;
    fail(at, "no rule named " + in_quotes(name) + did_you_mean(name, names(rule_index_)));
}

}  // namespace tbt::grammar
