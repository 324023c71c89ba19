#include "lib/corpus/parse.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/pieces.hpp"

namespace tbt::grammar {

namespace {

// The position of a comment: a # at the beginning or after a space begins one.
std::size_t comment_start(const std::string& s) {
    for (std::size_t i = 0; i < s.size(); ++i)
        if (s[i] == '#' && (i == 0 || is_space(s[i - 1]))) return i;
    return std::string::npos;
}

// Splits a grammar file into logical lines.
std::vector<Line> logical_lines(const std::string& contents, int file) {
    std::vector<Line> lines;
    bool goes_on = false;
    int number = 0;
    for (std::size_t start = 0; start < contents.size();) {
        std::size_t end = contents.find('\n', start);
        if (end == std::string::npos) end = contents.size();
        std::string raw = contents.substr(start, end - start);
        start = end + 1;
        ++number;

        const std::size_t comment = comment_start(raw);
        if (comment != std::string::npos) raw.erase(comment);
        while (!raw.empty() && (is_space(raw.back()) || raw.back() == '\r')) raw.pop_back();
        if (raw.empty() && comment != std::string::npos) continue;  // also between joined lines
        std::size_t indent = 0;
        while (indent < raw.size() && is_space(raw[indent])) ++indent;

        std::size_t slashes = 0;
        while (slashes < raw.size() && raw[raw.size() - 1 - slashes] == '\\') ++slashes;
        const bool continued = goes_on;
        goes_on = slashes % 2 == 1;
        if (goes_on) raw.pop_back();
        if (!continued) {
            if (raw.empty() && !goes_on) continue;
            lines.emplace_back();
            lines.back().file = file;
            lines.back().indented = indent > 0;
        }
        Line& line = lines.back();
        line.parts.push_back({line.text.size(), number, to_int(indent) + 1});
        line.text += raw.substr(std::min(indent, raw.size()));
    }
    return lines;
}

bool is_lexicon(const std::pair<std::string, std::string>& file) {
    return file.first.ends_with(".lexicon");
}

struct Block {  // a table, rule or genre: its header and what is indented under it
    enum class What { table, rule, genre } what = What::rule;
    int index = 0;  // into tree.tables or tree.rules
    std::vector<const Line*> body;
};

class Parser : PieceReader {
public:
    explicit Parser(const std::vector<std::pair<std::string, std::string>>& files) {
        std::vector<std::pair<std::string, std::string>> words;
        std::ranges::copy_if(files, std::back_inserter(words), is_lexicon);
        if (!words.empty()) tree_.lexicon = std::make_shared<Lexicon>(words);
        for (const auto& [name, contents] : files) {
            if (is_lexicon({name, contents})) continue;
            tree_.files.push_back(name);
            sources_.push_back(logical_lines(contents, count(tree_.files) - 1));
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
                        in_quotes(line.text.substr(0, 20)));
    }

    void declare(const std::string& name, std::size_t at) {
        const auto [old, fresh] = declared_.emplace(name, line_->at(at));
        if (!fresh) {
            std::string first = tree_.where(old->second);
            fail(at,
                 in_quotes(name) + " is already defined at " + first.substr(0, first.size() - 2));
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
                fail(column_at, "two columns named " + in_quotes(table.columns.back()));
        }
        if (table.columns.empty()) fail(at, "a table needs at least one column");
        table_index_[table.name] = count(tree_.tables);
        blocks_.push_back({Block::What::table, count(tree_.tables), {}});
        tree_.tables.push_back(std::move(table));
    }

    void rule_header(bool is_genre) {
        skip_spaces();
        const std::size_t at = pos_;
        Rule rule;
        rule.name = need_name(is_genre ? "a genre's name" : "a rule's name");
        declare(rule.name, at);
        rule.place = line_->at(at);
        const int index = count(tree_.rules);
        if (is_genre) genre_header(rule, index);
        skip_spaces();
        if (pos_ < end_) fail(pos_, "not expected here: " + in_quotes(line_->text.substr(pos_)));
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
        of_bytes_.push_back(accept('%'));
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
        Table& table = tree_.tables[index(block.index)];
        std::vector<std::uint64_t> weights;
        std::set<std::vector<int>> seen;
        for (const Line* line : block.body) {
            start(*line);
            weights.push_back(optional_weight(true));
            const std::size_t at = pos_;
            std::vector<int> row = cells();
            if (row.size() != table.columns.size())
                fail(at, "table " + in_quotes(table.name) + " has " +
                             std::to_string(table.columns.size()) + " columns, but this row has " +
                             std::to_string(row.size()) + " values");
            if (!seen.insert(row).second) fail(at, "the same row twice (use a weight, as in [2])");
            table.rows.push_back(std::move(row));
            table.row_places.push_back(line->at(at));
        }
        if (table.rows.empty())
            fail(table.place, "table " + in_quotes(table.name) + " has no rows");
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
        const Rule& rule = tree_.rules[index(block.index)];
        for (const Line* line : block.body) {
            start(*line);
            weights.push_back(optional_weight(true));
            const std::string source = line->text.substr(pos_);
            const auto [old, fresh] = seen.emplace(source, line->at(pos_));
            if (!fresh)
                fail(pos_, "the same alternative as in line " + std::to_string(old->second.line) +
                               " (use a weight, as in [2])");
            add_piece(choice, sequence(false));
        }
        if (choice.pieces.empty())
            fail(rule.place, in_quotes(rule.name) + " has no alternatives (indent them under it)");
        choice.weights = make_weights(weights, rule.place);
        tree_.rules[index(block.index)].choice = std::move(choice);
    }

    void finish() {
        for (const auto& [slot, place] : variable_uses_) {
            if (bound_.count(slot) != 0) continue;
            const std::string& name = tree_.variables[index(slot)];
            std::vector<std::string> known = names(rule_index_);
            for (const int b : bound_) known.push_back(tree_.variables[index(b)]);
            for (const auto& [table, index] : table_index_) known.push_back(table);
            fail(place, "no rule or variable named " + in_quotes(name) +
                            (table_index_.count(name) != 0
                                 ? " (it is a table: draw a row with {x=" + name + "})"
                                 : did_you_mean(name, known)));
        }
        for (const Table& table : tree_.tables)
            for (const std::string& column : table.columns) column_name(column);
        tree_.name_column = column_name("name");
        tree_.he_column = column_name("he");
        for (Table& table : tree_.tables) {
            table.column_of_name.assign(tree_.column_names.size(), -1);
            for (std::size_t c = 0; c < table.columns.size(); ++c)
                table.column_of_name[index(column_name(table.columns[c]))] = to_int(c);
        }
        for (const std::string& s : tree_.strings) {
            const auto rule = rule_index_.find(s);
            tree_.rule_of_string.push_back(rule == rule_index_.end() ? -1 : rule->second);
        }
        if (tree_.genres.empty())
            throw Error("the grammar files have no genre, so there is nothing to expand");
        tree_.genre_weights = make_weights(genre_raw_weights_, genre_place_);
        if (std::ranges::find(of_bytes_, true) == of_bytes_.end()) return;
        if (std::ranges::find(of_bytes_, false) != of_bytes_.end())
            fail(
                genre_place_,
                "some genres have a share of the bytes (25%), some of the documents (25); give all "
                "the same kind");
        tree_.byte_shares = genre_raw_weights_;
    }

    std::vector<std::vector<Line>> sources_;
    std::vector<Block> blocks_;
    std::map<std::string, Place> declared_;
    std::vector<std::uint64_t> genre_raw_weights_;
    std::vector<bool> of_bytes_;  // is the weight a percentage of the bytes, as in 25%?
    Place genre_place_;
};

}  // namespace

Tree parse(const std::vector<std::pair<std::string, std::string>>& files) {
    return Parser(files).parse();
}

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
            case Kind::command:
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
