// Reads what stands in an alternative of the grammar: text, {choices|of|pieces}, rules, variables,
// draws with their conditions, numbers, repetition. It knows the names of all tables and rules (see
// corpus_parse.cpp) and adds what it reads to the tree.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chapters/19_training/corpus/corpus_cursor.hpp"
#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt::grammar {

class PieceReader : protected Cursor {
protected:
    // Text and braces, to the end of the line, or inside braces to the | or } that ends the piece.
    Sequence sequence(bool inside);
    Node braces();
    std::size_t matching(std::size_t open, bool& has_bar) const;
    void inline_choice(Node& node, std::size_t open);
    // Everything in braces that is not {a|b}. pos_ is after the {.
    void command(Node& node, std::size_t open, std::size_t close);
    void bind(Node& node, const std::string& name, std::size_t at, std::size_t close);
    void repeat(Node& node);
    Operand operand();
    int rule_named();
    static int intern(std::map<std::string, int>& ids, std::vector<std::string>& names,
                      const std::string& s);
    int variable(const std::string& s);
    int column_name(const std::string& s);
    int string(const std::string& s);
    static std::vector<std::string> names(const std::map<std::string, int>& of);

    // {x=table where column=value and …}: corpus_conditions.cpp.
    void draw(Node& node, const std::string& source, std::size_t source_at, std::size_t close);
    Condition condition(const Table& table, std::size_t end);
    // y.col, or a text (in quotes if it looks like y.col).
    void compared_value(Condition& result, std::size_t end);
    void must_occur(const Table& table, const Condition& condition, std::size_t at) const;

    std::map<std::string, int> table_index_, rule_index_, variable_ids_, column_ids_, string_ids_;
    std::vector<std::pair<int, Place>> variable_uses_;
    std::set<int> bound_;
};

}  // namespace tbt::grammar
