// Reading the grammar files: pass 1 finds the tables, rules and genres with their lines, so that
// pass 2 can read the alternatives with every name known.
#include "corpus_cursor.hpp"
#include "corpus_tree.hpp"

#include <algorithm>
#include <set>


namespace tbt::grammar {

namespace {

struct Block {  // a table, rule or genre: its header and what is indented under it
    enum class What { table, rule, genre } what = What::rule;
    int index = 0;  // into tree.tables or tree.rules
    std::vector<const Line*> body;
};

class Parser : Cursor {
public:
    explicit Parser(const std::vector<std::pair<std::string, std::string>>& files) {
        for (const auto& [name, contents] : files) {
            tree_.files.push_back(name);
            sources_.push_back(logical_lines(contents, static_cast<int>(tree_.files.size()) - 1));
        }
    }

    Tree parse() {
        for (const auto& lines : sources_)
            for (const Line& line : lines) read_structure(line);
        for (const Block& block : blocks_)
            if (block.what == Block::What::table) read_table(block);
        for (const Block& block : blocks_)
            if (block.what != Block::What::table) read_rule(block);
        finish();
        return std::move(tree_);
    }

private:
    // ---- pass 1: headers ------------------------------------------------------------------

    void read_structure(const Line& line) {
        if (line.indented) {
            if (blocks_.empty()) fail(line.at(0), "an indented line before any table or rule");
            blocks_.back().body.push_back(&line);
            return;
        }
        start(line);
        const std::string keyword = word();
        if (keyword == "table") table_header();
        else if (keyword == "rule" || keyword == "genre") rule_header(keyword == "genre");
        else
            fail(0, "a line that is not indented begins with table, rule or genre, not with " +
                        quoted(line.text.substr(0, 20)));
    }

    void declare(const std::string& name, std::size_t at) {
        const auto [old, fresh] = declared_.emplace(name, line_->at(at));
        if (!fresh) {
            std::string first = tree_.where(old->second);
            fail(at, quoted(name) + " is already defined at " + first.substr(0, first.size() - 2));
        }
    }

    void table_header() {
        skip_spaces();
        const std::size_t at = pos_;
        Table table;
        table.name = need_name("a table's name");
        declare(table.name, at);
        table.place = line_->at(at);
        skip_spaces();
        if (!accept(':')) fail(pos_, "expected ':' and the names of the columns");
        std::set<std::string> seen;
        for (skip_spaces(); pos_ < end_; skip_spaces()) {
            const std::size_t column_at = pos_;
            table.columns.push_back(need_name("a column's name"));
            if (!seen.insert(table.columns.back()).second)
                fail(column_at, "two columns named " + quoted(table.columns.back()));
        }
        if (table.columns.empty()) fail(at, "a table needs at least one column");
        table_index_[table.name] = static_cast<int>(tree_.tables.size());
        blocks_.push_back({Block::What::table, static_cast<int>(tree_.tables.size()), {}});
        tree_.tables.push_back(std::move(table));
    }

    void rule_header(bool is_genre) {
        skip_spaces();
        const std::size_t at = pos_;
        Rule rule;
        rule.name = need_name(is_genre ? "a genre's name" : "a rule's name");
        declare(rule.name, at);
        rule.place = line_->at(at);
        const int index = static_cast<int>(tree_.rules.size());
        if (is_genre) genre_header(rule, index);
        skip_spaces();
        if (pos_ < end_) fail(pos_, "not expected here: " + quoted(line_->text.substr(pos_)));
        rule_index_[rule.name] = index;
        blocks_.push_back({is_genre ? Block::What::genre : Block::What::rule, index, {}});
        tree_.rules.push_back(std::move(rule));
    }

    void genre_header(const Rule& rule, int index) {
        Genre genre;
        genre.rule = index;
        skip_spaces();
        std::uint64_t weight = weight_unit;
        if (pos_ < end_ && (is_digit(line_->text[pos_]) || line_->text[pos_] == '.'))
            weight = number_weight();
        skip_spaces();
        if (pos_ < end_) {
            const std::size_t at = pos_;
            if (word() != "hold")
                fail(at, "expected a share (a number) or 'hold' after the genre's name");
            for (skip_spaces(); pos_ < end_; skip_spaces()) {
                const std::size_t from = pos_;
                const int slot = variable(need_name("a variable"));
                const int column = accept('.') ? column_name(need_name("a column")) : -1;
                genre.hold.emplace_back(slot, column);
                genre.hold_names.push_back(line_->text.substr(from, pos_ - from));
            }
            if (genre.hold.empty())
                fail(at, "'hold' names at least one value, as in: hold p.name t.name");
        }
        genre_raw_weights_.push_back(weight);
        genre_place_ = rule.place;
        tree_.genres.push_back(std::move(genre));
    }

    // ---- pass 2: rows and alternatives ------------------------------------------------------

    void read_table(const Block& block) {
        Table& table = tree_.tables[static_cast<std::size_t>(block.index)];
        std::vector<std::uint64_t> weights;
        std::set<std::vector<int>> seen;
        for (const Line* line : block.body) {
            start(*line);
            weights.push_back(optional_weight(true));
            const std::size_t at = pos_;
            std::vector<int> row = cells();
            if (row.size() != table.columns.size())
                fail(at, "table " + quoted(table.name) + " has " +
                             std::to_string(table.columns.size()) + " columns, but this row has " +
                             std::to_string(row.size()) + " values");
            if (!seen.insert(row).second) fail(at, "the same row twice (use a weight, as in [2])");
            table.rows.push_back(std::move(row));
            table.row_places.push_back(line->at(at));
        }
        if (table.rows.empty()) fail(table.place, "table " + quoted(table.name) + " has no rows");
        table.weights = make_weights(weights, table.place);
    }

    std::vector<int> cells() {
        std::vector<int> row;
        std::string cell;
        std::size_t keep = 0;  // escaped spaces at the end of a cell are kept
        for (;;) {
            const char c = pos_ < end_ ? line_->text[pos_] : '|';
            if (c == '|') {
                while (cell.size() > keep && is_space(cell.back())) cell.pop_back();
                row.push_back(string(cell));
                cell.clear();
                keep = 0;
                if (pos_ >= end_) return row;
                ++pos_;
                skip_spaces();
            } else if (c == '\\') {
                cell += escape();
                keep = cell.size();
            } else if (c == '{' || c == '}') {
                fail(pos_,
                     "a table holds plain text; name a rule in the cell and expand it with {>x.col}"
                     " (or write \\{ for the character)");
            } else {
                cell += c;
                ++pos_;
            }
        }
    }

    void read_rule(const Block& block) {
        Choice choice;
        std::vector<std::uint64_t> weights;
        std::map<std::string, Place> seen;
        const Rule& rule = tree_.rules[static_cast<std::size_t>(block.index)];
        for (const Line* line : block.body) {
            start(*line);
            weights.push_back(optional_weight(true));
            const std::string source = line->text.substr(pos_);
            const auto [old, fresh] = seen.emplace(source, line->at(pos_));
            if (!fresh)
                fail(pos_, "the same alternative as in line " + std::to_string(old->second.line) +
                               " (use a weight, as in [2])");
            choice.pieces.push_back(sequence(false));
        }
        if (choice.pieces.empty())
            fail(rule.place, quoted(rule.name) + " has no alternatives (indent them under it)");
        choice.weights = make_weights(weights, rule.place);
        tree_.rules[static_cast<std::size_t>(block.index)].choice = std::move(choice);
    }

    // Text and braces, to the end of the line, or inside braces to the | or } that ends the piece.
    Sequence sequence(bool inside) {
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
                fail(pos_,
                     "a | outside braces (one alternative a line; write \\| for the character)");
            } else {
                literal(std::string(1, c));
                ++pos_;
            }
        }
        return nodes;
    }

    Node braces() {
        const std::size_t open = pos_;
        bool is_choice = false;
        const std::size_t close = matching(open, is_choice);
        Node node;
        node.place = line_->at(open);
        ++pos_;
        if (is_choice) inline_choice(node, open);
        else command(node, open, close);
        if (pos_ != close)
            fail(pos_, "not understood: " + quoted(line_->text.substr(open, close - open + 1)));
        ++pos_;
        return node;
    }

    std::size_t matching(std::size_t open, bool& has_bar) const {
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

    void inline_choice(Node& node, std::size_t open) {
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
            choice.pieces.push_back(sequence(true));
            if (!seen.emplace(line_->text.substr(from, pos_ - from), 0).second)
                fail(from,
                     "the same piece twice: " + quoted(line_->text.substr(from, pos_ - from)) +
                         " (use a weight, as in {[2]a|b})");
            if (line_->text[pos_] == '}') break;
            ++pos_;
        }
        choice.weights = make_weights(weights, node.place);
        node.kind = Kind::choice;
        node.index = static_cast<int>(tree_.choices.size());
        tree_.choices.push_back(std::move(choice));
    }

    // Everything in braces that is not {a|b}. pos_ is after the {.
    void command(Node& node, std::size_t open, std::size_t close) {
        const std::string whole = line_->text.substr(open, close - open + 1);
        if (accept('%')) node.article = true;
        const bool indirect = accept('>');
        if (pos_ < close && is_digit(line_->text[pos_]) && !indirect && !node.article)
            return repeat(node);
        const std::size_t at = pos_;
        const std::string name = word();
        if (name.empty())
            fail(at, "not understood: " + quoted(whole) + " (write \\{ for the character)");
        const char next = line_->text[pos_];
        if (next == '=' || next == ':') {
            if (node.article || indirect) fail(at, "not understood: " + quoted(whole));
            return bind(node, name, at, close);
        }
        if (next == '.') {
            ++pos_;
            node.kind = indirect ? Kind::indirect : Kind::column;
            node.slot = variable(name);
            node.column_name = column_name(need_name("a column's name"));
        } else if (indirect) {
            fail(at, "{>x.col} needs a column, not " + quoted(whole));
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

    void bind(Node& node, const std::string& name, std::size_t at, std::size_t close) {
        if (rule_index_.count(name) != 0)
            fail(at, quoted(name) + " is a rule; give the variable another name");
        node.slot = variable(name);
        bound_.insert(node.slot);
        if (accept(':')) {
            if (!accept('=')) fail(pos_, "expected := ");
            skip_spaces();
            node.kind = Kind::keep;
            Choice choice;
            if (line_->text[pos_] == '{') {
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
            node.index = static_cast<int>(tree_.choices.size());
            tree_.choices.push_back(std::move(choice));
            return;
        }
        ++pos_;  // the =
        skip_spaces();
        const std::size_t source_at = pos_;
        const std::string source = word();
        if (source == "int") {
            node.kind = Kind::integer;
            node.left = operand();
            node.right = operand();
            if (node.left.slot < 0 && node.right.slot < 0 &&
                node.left.constant > node.right.constant)
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

    void draw(Node& node, const std::string& source, std::size_t source_at, std::size_t close) {
        const auto table = table_index_.find(source);
        if (table == table_index_.end()) {
            if (rule_index_.count(source) != 0)
                fail(source_at, quoted(source) +
                                    " is a rule, not a table (to keep its text write {" +
                                    tree_.variables[static_cast<std::size_t>(node.slot)] +
                                    ":=" + source + "})");
            fail(source_at,
                 "no table named " + quoted(source) + did_you_mean(source, names(table_index_)));
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
            node.where.push_back(
                condition(tree_.tables[static_cast<std::size_t>(node.index)], end));
            pos_ = end;
            if (end == close) return;
            pos_ += 5;
        }
    }

    Condition condition(const Table& table, std::size_t end) {
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
            fail(at, "table " + quoted(table.name) + " has no column " + quoted(column) +
                         did_you_mean(column, table.columns));
        result.column = static_cast<int>(found - table.columns.begin());
        if (accept('!')) result.test = Condition::Test::unequal;
        if (!accept('=')) fail(pos_, "expected = or != after the column " + quoted(column));
        skip_spaces();
        const std::size_t value_at = pos_;
        compared_value(result, end);
        if (result.value >= 0) must_occur(table, result, value_at);
        return result;
    }

    // y.col, or a text (in quotes if it looks like y.col).
    void compared_value(Condition& result, std::size_t end) {
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

    void must_occur(const Table& table, const Condition& condition, std::size_t at) const {
        std::vector<std::string> values;
        for (const auto& row : table.rows) {
            const int cell = row[static_cast<std::size_t>(condition.column)];
            if (cell == condition.value) return;
            values.push_back(tree_.strings[static_cast<std::size_t>(cell)]);
        }
        const std::string& text = tree_.strings[static_cast<std::size_t>(condition.value)];
        fail(at, "no row of table " + quoted(table.name) + " has " + quoted(text) + " in column " +
                     quoted(table.columns[static_cast<std::size_t>(condition.column)]) +
                     did_you_mean(text, values));
    }

    void repeat(Node& node) {
        node.kind = Kind::repeat;
        const std::size_t at = pos_;
        node.left = node.right = operand();
        if (accept('.')) {
            if (!accept('.')) fail(pos_, "expected two dots, as in {3..6 of rule}");
            node.right = operand();
        }
        if (node.left.constant > node.right.constant)
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

    // ---- small parts ------------------------------------------------------------------------

    Operand operand() {
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

    int rule_named() {
        const std::size_t at = pos_;
        const std::string name = need_name("a rule's name");
        const auto found = rule_index_.find(name);
        if (found != rule_index_.end()) return found->second;
        fail(at, "no rule named " + quoted(name) + did_you_mean(name, names(rule_index_)));
    }

    static int intern(std::map<std::string, int>& ids, std::vector<std::string>& names,
                      const std::string& s) {
        const auto [found, fresh] = ids.emplace(s, static_cast<int>(names.size()));
        if (fresh) names.push_back(s);
        return found->second;
    }
    int variable(const std::string& s) { return intern(variable_ids_, tree_.variables, s); }
    int column_name(const std::string& s) { return intern(column_ids_, tree_.column_names, s); }
    int string(const std::string& s) { return intern(string_ids_, tree_.strings, s); }

    static std::vector<std::string> names(const std::map<std::string, int>& of) {
        std::vector<std::string> result;
        for (const auto& [name, index] : of) result.push_back(name);
        return result;
    }

    void finish() {
        for (const auto& [slot, place] : variable_uses_) {
            if (bound_.count(slot) != 0) continue;
            const std::string& name = tree_.variables[static_cast<std::size_t>(slot)];
            std::vector<std::string> known = names(rule_index_);
            for (const int b : bound_)
                known.push_back(tree_.variables[static_cast<std::size_t>(b)]);
            for (const auto& [table, index] : table_index_) known.push_back(table);
            fail(place, "no rule or variable named " + quoted(name) +
                            (table_index_.count(name) != 0
                                 ? " (it is a table: draw a row with {x=" + name + "})"
                                 : did_you_mean(name, known)));
        }
        for (const Table& table : tree_.tables)
            for (const std::string& column : table.columns) column_name(column);
        for (Table& table : tree_.tables) {
            table.column_of_name.assign(tree_.column_names.size(), -1);
            for (std::size_t c = 0; c < table.columns.size(); ++c)
                table.column_of_name[static_cast<std::size_t>(column_name(table.columns[c]))] =
                    static_cast<int>(c);
        }
        for (const std::string& s : tree_.strings) {
            const auto rule = rule_index_.find(s);
            tree_.rule_of_string.push_back(rule == rule_index_.end() ? -1 : rule->second);
        }
        if (tree_.genres.empty())
            throw Error("the grammar files have no genre, so there is nothing to expand");
        tree_.genre_weights = make_weights(genre_raw_weights_, genre_place_);
    }

    std::vector<std::vector<Line>> sources_;
    std::vector<Block> blocks_;
    std::map<std::string, Place> declared_;
    std::map<std::string, int> table_index_, rule_index_, variable_ids_, column_ids_, string_ids_;
    std::vector<std::uint64_t> genre_raw_weights_;
    Place genre_place_;
    std::vector<std::pair<int, Place>> variable_uses_;
    std::set<int> bound_;
};

}  // namespace

Tree parse(const std::vector<std::pair<std::string, std::string>>& files) {
    return Parser(files).parse();
}

}  // namespace tbt::grammar
