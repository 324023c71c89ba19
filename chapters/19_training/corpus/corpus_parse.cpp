#include "chapters/19_training/corpus/corpus_parse.hpp"

#include <algorithm>

#include "chapters/19_training/corpus/corpus_pieces.hpp"
#include "lib/core/index.hpp"

namespace tbt::grammar {

namespace {

struct Block {  // a table, rule or genre: its header and what is indented under it
    enum class What { table, rule, genre } what = What::rule;
    int index = 0;  // into tree.tables or tree.rules
    std::vector<const Line*> body;
};

class Parser : PieceReader {
public:
    explicit Parser(const std::vector<std::pair<std::string, std::string>>& files) {
        for (const auto& [name, contents] : files) {
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

}  // namespace tbt::grammar
